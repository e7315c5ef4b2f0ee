// Owns the decision what to do with an attached or output message, given what is on the screen.
// Pure: it neither renders nor sends. Every byte is shown once because offsets decide, nothing else.

import type { PtyAttached, PtyOutput } from "../../protocol/pty.ts";

/** What the screen holds: all bytes of this epoch up to `next`. */
export interface Have {
  readonly epoch: number;
  readonly next: number;
}

export type Position =
  /** Asked, not yet answered. What arrives meanwhile belongs to an attachment of the past. */
  | { readonly state: "attaching"; readonly have?: Have }
  | { readonly state: "live"; readonly have: Have };

export interface Step {
  readonly position: Position;
  /** To show; `fresh` means on a clean screen. */
  readonly render?: { readonly fresh: boolean; readonly text: string };
  /** Whether to attach, from `position.have` if there is one. */
  readonly attach?: true;
}

/** Before the first attach. */
export const NOTHING: Position = { state: "attaching" };

/** The socket is gone: everything asked or promised on it is void. */
export function onCut(position: Position): Position {
  return again(position.have).position;
}

/** The bridge is there: asks, unless it has answered already. What is live goes on by itself. */
export function onBridge(position: Position): Step {
  return position.state === "live" ? { position } : again(position.have);
}

export function onAttached(position: Position, message: PtyAttached): Step {
  const { epoch, next, history } = message;
  if (history !== undefined) return fresh({ epoch, next }, history);
  const have = position.have;
  // Asked for everything and got no history: there was none.
  if (have === undefined) return fresh({ epoch, next }, "");
  // An answer from before what we have: output goes on below it and is dropped up to it.
  if (have.epoch === epoch && next <= have.next) return { position: { state: "live", have } };
  return again(have.epoch === epoch ? have : undefined);
}

export function onOutput(position: Position, message: PtyOutput): Step {
  if (position.state === "attaching") return { position };
  const { have } = position;
  if (message.offset === have.next) {
    return {
      position: { state: "live", have: { epoch: have.epoch, next: message.next } },
      render: { fresh: false, text: message.data },
    };
  }
  if (message.next <= have.next) return { position };
  return again(have);
}

function fresh(have: Have, text: string): Step {
  return { position: { state: "live", have }, render: { fresh: true, text } };
}

function again(have: Have | undefined): Step {
  return { position: have ? { state: "attaching", have } : NOTHING, attach: true };
}
