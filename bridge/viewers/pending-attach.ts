// Owns the shape of one attach on its way to the live stream, and of its possible results. The
// attachers of both renditions use it.

import type { OpenChannel } from "../channels/channel-table.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Attachment, Peer } from "./peer-table.ts";

/** One attach of one peer, on its way to the live stream. */
export interface PendingAttach {
  readonly peer: Peer;
  readonly terminal: PoolTerminal;
  readonly attachment: Attachment;
  /** Whether the viewer requested it; false for a new start by the bridge. */
  readonly isRequested: boolean;
}

/** Results of an attach, common to both renditions. */
export interface AttachCallbacks {
  isCurrent(pendingAttach: PendingAttach): boolean;
  /** Joins the live stream: the replay reached `offset`, where the room's output continues. */
  join(pendingAttach: PendingAttach, open: OpenChannel, offset: number): void;
  /** Starts over: the bytes to send next are no longer retained. */
  renew(pendingAttach: PendingAttach): void;
  /** Finishes: the replay reached the end of a finished terminal. */
  finish(pendingAttach: PendingAttach): void;
  fail(pendingAttach: PendingAttach, error: unknown): void;
}
