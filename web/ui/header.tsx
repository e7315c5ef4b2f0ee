// Owns both ends of the bar: the workspace's name on the left, status and buttons on the right; and
// the notice about a lost connection. Also owns drawing a message in which text between backticks
// is shown as code. And the text and tone that describe this page's connection to the room and the
// host.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { isLoopback } from "../../protocol/names.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { COPY_LINK, SHOW_SHORTCUTS, SHOW_PALETTE } from "../commands/frame-commands.ts";
import { useNow, useSession } from "../context.ts";
import { lazyComponent } from "../lazy.tsx";
import { PeopleButton } from "../people/header.tsx";
import { explainWait } from "../session/room-socket.ts";
import type { Store } from "../session/store.ts";
import type * as AwayStatus from "./away-status.ts";
import type { ConnectionStatus } from "./away-status.ts";

/** Wait before texts that did not load are loaded again. */
const RELOAD_MS = 5_000;

export function Brand() {
  const { store } = useSession();
  return (
    <div class="brand">
      <Logo />
      <h1 title={`Workspace ${store.workspace}`}>{store.workspaceName.value ?? "pairpty"}</h1>
    </div>
  );
}

export function Logo() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="mark-left" d="M6 9l7 7-7 7" />
      <path class="mark-right" d="M26 9l-7 7 7 7" />
    </svg>
  );
}

const FollowBadge = lazyComponent(
  async () => (await import("../people/follow-badge.tsx")).FollowBadge,
);

/** Its space is reserved, so that the bar does not move when it is loaded. */
const Lock = lazyComponent(
  async () => (await import("./lock.tsx")).Lock,
  () => <span class="icon-button" />,
);

/** Whether a relay or tunnel of others carries this room. */
function isPublic({ address }: Store): boolean {
  return address.value !== undefined || !isLoopback(location.href);
}

export function HeaderControls() {
  const session = useSession();
  const { store } = session;
  const { you } = store.people;
  const isForOthers = you.value !== undefined && you.value.own !== true;
  return (
    <div class="side">
      {store.people.followed.value && <FollowBadge />}
      {store.role.value === "view" && (
        <span class="badge" title={store.readOnlyReason("type")}>
          read-only
        </span>
      )}
      {store.address.value !== undefined && store.reachable.value && isForOthers && (
        <CommandButton
          command={COPY_LINK}
          class="quiet"
          title={`Copy the link at ${store.address.value}`}
        >
          Copy link
        </CommandButton>
      )}
      {(session.isSealed || isPublic(store)) && <Lock />}
      <StatusPill />
      <PeopleButton />
      <CommandButton command={SHOW_PALETTE} class="icon-button" label={SHOW_PALETTE.title}>
        <svg class="lens" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 5.5h12M4 10h12M4 14.5h7" />
        </svg>
      </CommandButton>
      <CommandButton
        command={SHOW_SHORTCUTS}
        class="icon-button help-button"
        label={SHOW_SHORTCUTS.title}
      >
        ?
      </CommandButton>
    </div>
  );
}

function StatusPill() {
  const { store } = useSession();
  const now = useNow(store.connection.value.state === "waiting");
  const { tone, text, when, detail } = getStatus(store, now);
  return (
    <>
      <span class={`pill ${tone}`} title={detail} data-testid="status">
        <span class="dot" aria-hidden="true" />
        <span class="pill-text">
          {text}
          <span class="if-wide">{when}</span>
        </span>
      </span>
      <span class="visually-hidden" role="status">
        {getAnnouncement(store)}
      </span>
    </>
  );
}

/**
 * Explains why typing does not reach the host and what to do; after a dismissal the status pill still shows
 * it. A final state (`isOver`) takes space below the views; a temporary one floats, so that a short outage
 * moves nothing.
 */
export function ConnectionNotice({ isOver }: { isOver: boolean }) {
  const session = useSession();
  const { store } = session;
  // After a crash the text changes when the host's grace period is over.
  const now = useNow(store.bridge.value.until !== undefined);
  const status = getStatus(store, now);
  const { tone, detail } = status;
  const [dismissed, setDismissed] = useState<string>();
  if (tone !== "warn" || detail === undefined || detail === dismissed) return null;
  if ((status.isOver === true) !== isOver) return null;
  return (
    <div class="toast warn" data-over={isOver}>
      <p>
        <MessageText text={detail} />
      </p>
      {store.connection.value.state === "refused" && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            store.isEnteringLink.value = true;
          }}
        >
          Use another link
        </button>
      )}
      {store.connection.value.state === "waiting" && !isOver && (
        <button type="button" class="quiet" onClick={() => session.retry()}>
          Try now
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label="Dismiss message"
        onClick={() => setDismissed(detail)}
      >
        ×
      </button>
    </div>
  );
}

export function MessageText({ text }: { text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

/** Returns the status to show; reads signals, so a component that calls it re-renders. */
function getStatus(store: Store, now: number): ConnectionStatus {
  const connection = store.connection.value;
  const bridge = store.bridge.value;
  switch (connection.state) {
    case "connecting":
      return { tone: "calm", text: "Connecting…" };
    case "refused": {
      // The host stopped, which ended this link too: report the host, not the link.
      if (bridge.how === "ended") return getHostAwayStatus(store, bridge, now);
      return (
        getAwayTexts()?.getLinkEndStatus(connection.reason) ?? {
          tone: "warn",
          text: "Disconnected",
        }
      );
    }
    case "waiting": {
      // The relay or tunnel stopped together with the host: report the host, not the connection.
      if (isReasonKnown(bridge)) return getHostAwayStatus(store, bridge, now);
      const seconds = Math.ceil((connection.retryAt - now) / 1000);
      const reason = explainWait(connection.code) ?? "This page lost its connection.";
      return {
        tone: "warn",
        text: seconds > 0 ? `Reconnecting in ${seconds} s` : "Reconnecting…",
        detail: `${reason} The page catches up when it reconnects.`,
      };
    }
    case "live":
      if (store.reachable.value) return { tone: "good", text: "Live" };
      if (bridge.state === "here") return { tone: "calm", text: "Connecting…" };
      return getHostAwayStatus(store, bridge, now);
    default:
      return connection satisfies never;
  }
}

/** Texts for a host or link that is gone: loaded with the first of them, or before. */
const away = signal<typeof AwayStatus | undefined>(undefined);
let loading: Promise<void> | undefined;

/** Loads the texts for a host that is gone, while the network is there. */
export function loadAwayTexts(): void {
  loading ??= import("./away-status.ts").then(
    (texts) => void (away.value = texts),
    () => void setTimeout(() => (loading = undefined), RELOAD_MS),
  );
}

function getAwayTexts(): typeof AwayStatus | undefined {
  loadAwayTexts();
  return away.value;
}

function getHostAwayStatus(store: Store, bridge: BridgeState, now: number): ConnectionStatus {
  const texts = getAwayTexts();
  return texts?.getHostAwayStatus(store, bridge, now) ?? { tone: "warn", text: "Host offline" };
}

/** Whether the room reported why the host left before this page lost its own connection. */
function isReasonKnown({ state, how }: BridgeState): boolean {
  return state === "away" && (how === "ended" || how === "left" || how === "crashed");
}

/** Returns the status without its countdown, which screen readers would announce every second. */
function getAnnouncement(store: Store): string {
  if (store.connection.value.state === "waiting" && !isReasonKnown(store.bridge.value)) {
    return "Connection lost. Reconnecting.";
  }
  const { text, when = "" } = getStatus(store, 0);
  return `${text}${when}`;
}
