// Owns the status of this page's connection, and its texts for a host or a link that is gone.

import { formatTime } from "../../protocol/formats.ts";
import { isTemporaryOrigin } from "../../protocol/names.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import {
  explainHostAway,
  explainLinkEnd,
  isTooLate,
  parseGoneReason,
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

/** Returns the status of a page whose link has ended. */
export function getLinkEndStatus(reason: string): ConnectionStatus {
  const { title, text } = explainLinkEnd(parseGoneReason(reason));
  return { tone: "warn", text: title, detail: text, isOver: true };
}

/** Returns the status of a page whose host is away; reads signals. */
export function getHostAwayStatus(
  store: Store,
  bridge: BridgeState,
  now: number,
): ConnectionStatus {
  const { own, lasts } = store.people.you.value ?? {};
  const reader = {
    clock: formatClock,
    isHost: own === true,
    isLasting: lasts === true,
    isPassing: isTemporaryOrigin(location.origin),
    terminals: store.endedWithHost.value,
  };
  const { title, when, text } = explainHostAway(bridge, now, reader);
  const isOver = bridge.how === "ended" || isTooLate(bridge, now);
  return { tone: "warn", text: title, when, detail: text, isOver };
}

function formatClock(at: number): string {
  return formatTime(at, Date.now());
}
