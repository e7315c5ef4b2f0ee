// Owns the words and the tone for the connection of this page to the room and the host.

import { formatTime } from "../../protocol/times.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import { explainWait } from "../session/connection.ts";
import { endOfHost, endOfLink, goneHow } from "../session/ends.ts";
import type { Store } from "../session/store.ts";

export interface Status {
  readonly tone: "calm" | "good" | "warn";
  readonly text: string;
  /** What it means for the user, where that is not obvious. */
  readonly detail?: string;
}

/** Subscribes whoever renders with it. */
export function statusOf(store: Store, now: number): Status {
  const connection = store.connection.value;
  const bridge = store.bridge.value;
  switch (connection.state) {
    case "connecting":
      return { tone: "calm", text: "Connecting…" };
    case "refused": {
      // The host ended it, and our link with it: that is the whole story.
      const isEnded = bridge.how === "ended";
      const { title, text } = isEnded
        ? endOfHost(bridge, now, clock)
        : endOfLink(goneHow(connection.reason));
      return { tone: "warn", text: title, detail: text };
    }
    case "waiting": {
      if (bridge.how === "ended") return hostIsAway(bridge, now);
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
      return hostIsAway(bridge, now);
    default:
      return connection satisfies never;
  }
}

function hostIsAway(bridge: BridgeState, now: number): Status {
  const { title, text } = endOfHost(bridge, now, clock);
  return { tone: "warn", text: title, detail: text };
}

/** The same without the countdown: a screen reader should not hear every second. */
export function announcementOf(store: Store): string {
  const isOver = store.bridge.value.how === "ended";
  if (store.connection.value.state === "waiting" && !isOver) {
    return "Connection lost. Reconnecting.";
  }
  return statusOf(store, 0).text;
}

function clock(at: number): string {
  return formatTime(at, Date.now());
}
