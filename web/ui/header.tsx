// Owns both ends of the bar: the workspace's name on the left, status and buttons on the right; and the
// notice about a lost connection.

import { useState } from "preact/hooks";
import { useNow, useSession } from "../context.ts";
import { CommandButton } from "../commands/command-button.tsx";
import { COPY_LINK, SHOW_SHORTCUTS, SHOW_PALETTE } from "../commands/frame-commands.ts";
import { FollowBadge, PeopleButton } from "../people/header.tsx";
import { MessageText } from "./message-text.tsx";
import { getAnnouncement, getStatus } from "./connection-status.ts";

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

export function HeaderControls() {
  const { store } = useSession();
  const { you } = store.people;
  const isForOthers = you.value !== undefined && you.value.own !== true;
  return (
    <div class="side">
      <FollowBadge />
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
