// Owns the decision what to do with an attached or output message, given what is on the screen.
// Pure: it neither renders nor sends. Only offsets decide, so every byte is shown once.

import type { Output } from "../../protocol/output.ts";
import type { PtyAttached } from "../../protocol/pty.ts";
import { toBytes } from "../../protocol/text.ts";

/** What the screen shows: all bytes of this epoch up to `next`. */
export interface ScreenContent {
  readonly epoch: number;
  readonly next: number;
}

export type Position =
  /**
   * Requested, not yet answered. Output that arrives meanwhile belongs to the previous attachment.
   */
  | { readonly state: "attaching"; readonly have?: ScreenContent }
  | { readonly state: "live"; readonly have: ScreenContent };

export interface Step {
  readonly position: Position;
  /** Bytes to show; `fresh` means on a cleared screen. */
  readonly render?: { readonly fresh: boolean; readonly bytes: Uint8Array };
  /** Whether to attach, from `position.have` if there is one. */
  readonly attach?: true;
}

/** Before the first attach. */
export const UNATTACHED: Position = { state: "attaching" };

/** Returns the position after the socket has closed, which voids all pending requests. */
export function onCut(position: Position): Position {
  return reattach(position.have).position;
}

/** Attaches again to a bridge that appeared, from what is on the screen. */
export function onBridge(position: Position): Step {
  return reattach(position.have);
}

export function onAttached(position: Position, message: PtyAttached): Step {
  const { epoch, next, snapshot } = message;
  if (snapshot !== undefined) return fresh({ epoch, next }, snapshot);
  const have = position.have;
  // We requested everything and got no snapshot: there was no output yet.
  if (have === undefined) return fresh({ epoch, next }, "");
  // The answer starts before what we have: the overlap of the following output is dropped.
  if (have.epoch === epoch && next <= have.next) return { position: { state: "live", have } };
  return reattach(have.epoch === epoch ? have : undefined);
}

/**
 * Decides about output. A piece may be partly on the screen already: only the rest is shown.
 * Contiguous output is also shown while an attach is pending: its answer continues after it.
 */
export function onOutput(position: Position, { offset, span, body }: Output): Step {
  const { state, have } = position;
  if (have === undefined) return { position };
  if (offset > have.next) return state === "live" ? reattach(have) : { position };
  const next = offset + span;
  if (next <= have.next) return { position };
  return {
    position: { state, have: { epoch: have.epoch, next } },
    render: { fresh: false, bytes: body.subarray(have.next - offset) },
  };
}

function fresh(have: ScreenContent, snapshot: string): Step {
  return { position: { state: "live", have }, render: { fresh: true, bytes: toBytes(snapshot) } };
}

function reattach(have: ScreenContent | undefined): Step {
  return { position: have ? { state: "attaching", have } : UNATTACHED, attach: true };
}
