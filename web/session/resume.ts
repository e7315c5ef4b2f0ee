// Owns the decision what to do with an attached or output message, given what is on the screen.
// Pure: it neither renders nor sends. Every byte is shown once because offsets decide, nothing else.

import type { Output } from "../../protocol/output.ts";
import type { PtyAttached } from "../../protocol/pty.ts";
import { toBytes } from "../../protocol/text.ts";

/** What the screen holds: all bytes of this epoch up to `next`. */
export interface Have {
  readonly epoch: number;
  readonly next: number;
}

export type Position =
  /** Asked, not yet answered. What arrives meanwhile is of the attachment before, if there was one. */
  | { readonly state: "attaching"; readonly have?: Have }
  | { readonly state: "live"; readonly have: Have };

export interface Step {
  readonly position: Position;
  /** To show; `fresh` means on a clean screen. */
  readonly render?: { readonly fresh: boolean; readonly bytes: Uint8Array };
  /** Whether to attach, from `position.have` if there is one. */
  readonly attach?: true;
}

/** Before the first attach. */
export const NOTHING: Position = { state: "attaching" };

/** The socket is gone: everything asked or promised on it is void. */
export function onCut(position: Position): Position {
  return again(position.have).position;
}

/** The bridge is there, or another one: whatever it knows, it is told what is on the screen. */
export function onBridge(position: Position): Step {
  return again(position.have);
}

export function onAttached(position: Position, message: PtyAttached): Step {
  const { epoch, next, snapshot } = message;
  if (snapshot !== undefined) return fresh({ epoch, next }, snapshot);
  const have = position.have;
  // Asked for everything and got no snapshot: there was nothing.
  if (have === undefined) return fresh({ epoch, next }, "");
  // An answer from before what we have: output goes on below it and is dropped up to it.
  if (have.epoch === epoch && next <= have.next) return { position: { state: "live", have } };
  return again(have.epoch === epoch ? have : undefined);
}

/**
 * Bytes can be cut anywhere: of what is half known the rest is shown. What fits is shown while an
 * answer is awaited too: it will tell of a place behind it.
 */
export function onOutput(position: Position, { offset, span, body }: Output): Step {
  const { state, have } = position;
  if (have === undefined) return { position };
  if (offset > have.next) return state === "live" ? again(have) : { position };
  const next = offset + span;
  if (next <= have.next) return { position };
  return {
    position: { state, have: { epoch: have.epoch, next } },
    render: { fresh: false, bytes: body.subarray(have.next - offset) },
  };
}

function fresh(have: Have, snapshot: string): Step {
  return { position: { state: "live", have }, render: { fresh: true, bytes: toBytes(snapshot) } };
}

function again(have: Have | undefined): Step {
  return { position: have ? { state: "attaching", have } : NOTHING, attach: true };
}
