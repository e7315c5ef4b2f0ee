// Owns the text and tone that describe this page's connection to the room and the host.

import { formatTime } from "../../protocol/times.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import { explainWait } from "../session/connection.ts";
import { isPassing } from "../../protocol/names.ts";
import { endOfHost, endOfLink, goneHow, isTooLate } from "../session/ends.ts";
import type { Store } from "../session/store.ts";

export interface Status {
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
export function statusOf(store: Store, now: number): Status {
  const connection = store.connection.value;
  const bridge = store.bridge.value;
  switch (connection.state) {
    case "connecting":
      return { tone: "calm", text: "Connecting…" };
    case "refused": {
      // The host stopped, which ended this link too: report the host, not the link.
      if (bridge.how === "ended") return hostIsAway(store, bridge, now);
      const { title, text } = endOfLink(goneHow(connection.reason));
      return { tone: "warn", text: title, detail: text, isOver: true };
    }
    case "waiting": {
      // The relay or tunnel stopped together with the host: report the host, not the connection.
      if (hasToldWhy(bridge)) return hostIsAway(store, bridge, now);
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
      return hostIsAway(store, bridge, now);
    default:
      return connection satisfies never;
  }
}

function hostIsAway(store: Store, bridge: BridgeState, now: number): Status {
  const isHost = store.people.you.value?.own === true;
  const reader = { clock, isHost, isPassing: isPassing(location.origin) };
  const { title, when, text } = endOfHost(bridge, now, reader);
  const isOver = bridge.how === "ended" || isTooLate(bridge, now);
  return { tone: "warn", text: title, when, detail: text, isOver };
}

/** Whether the room reported why the host left before this page lost its own connection. */
function hasToldWhy({ state, how }: BridgeState): boolean {
  return state === "away" && (how === "ended" || how === "left" || how === "crashed");
}

/** Returns the status without its countdown, which screen readers would announce every second. */
export function announcementOf(store: Store): string {
  if (store.connection.value.state === "waiting" && !hasToldWhy(store.bridge.value)) {
    return "Connection lost. Reconnecting.";
  }
  const { text, when = "" } = statusOf(store, 0);
  return `${text}${when}`;
}

function clock(at: number): string {
  return formatTime(at, Date.now());
}
