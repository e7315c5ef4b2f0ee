// Owns the text and tone that describe this page's connection to the room and the host.

import { formatTime } from "../../protocol/formats.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import { explainWait } from "../session/connection.ts";
import { isTemporaryOrigin } from "../../protocol/names.ts";
import {
  explainHostAway,
  explainLinkEnd,
  parseGoneReason,
  isTooLate,
} from "../session/end-notices.ts";
import type { Store } from "../session/store.ts";

export interface ConnectionStatus {
  readonly tone: "calm" | "good" | "warn";
  readonly text: string;
  /** Follows the text on wide screens. */
  readonly when?: string | undefined;
  /** True if waiting does not help: the user has to act. */
  readonly isOver?: boolean;
  /** Consequence for the user, where it is not obvious. */
  readonly detail?: string;
}

/** Returns the status to show; reads signals, so a component that calls it re-renders. */
export function getStatus(store: Store, now: number): ConnectionStatus {
  const connection = store.connection.value;
  const bridge = store.bridge.value;
  switch (connection.state) {
    case "connecting":
      return { tone: "calm", text: "Connecting…" };
    case "refused": {
      // The host stopped, which ended this link too: report the host, not the link.
      if (bridge.how === "ended") return getHostAwayStatus(store, bridge, now);
      const { title, text } = explainLinkEnd(parseGoneReason(connection.reason));
      return { tone: "warn", text: title, detail: text, isOver: true };
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

function getHostAwayStatus(store: Store, bridge: BridgeState, now: number): ConnectionStatus {
  const isHost = store.people.you.value?.own === true;
  const reader = {
    clock: formatClock,
    isHost,
    isPassing: isTemporaryOrigin(location.origin),
    terminals: store.endedWithHost.value,
  };
  const { title, when, text } = explainHostAway(bridge, now, reader);
  const isOver = bridge.how === "ended" || isTooLate(bridge, now);
  return { tone: "warn", text: title, when, detail: text, isOver };
}

/** Whether the room reported why the host left before this page lost its own connection. */
function isReasonKnown({ state, how }: BridgeState): boolean {
  return state === "away" && (how === "ended" || how === "left" || how === "crashed");
}

/** Returns the status without its countdown, which screen readers would announce every second. */
export function getAnnouncement(store: Store): string {
  if (store.connection.value.state === "waiting" && !isReasonKnown(store.bridge.value)) {
    return "Connection lost. Reconnecting.";
  }
  const { text, when = "" } = getStatus(store, 0);
  return `${text}${when}`;
}

function formatClock(at: number): string {
  return formatTime(at, Date.now());
}
