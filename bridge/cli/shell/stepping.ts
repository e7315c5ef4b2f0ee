// Owns what a window does with keys for an agent's terminal: nothing until somebody steps in there,
// and the words about it. Pure; who may step in is the bridge's to say.

import type { Reader } from "../../../protocol/foreground.ts";
import { formatReader, formatStaysOpen } from "../../../protocol/foreground.ts";

/** Of an agent's terminal: only looking, asked to step in, or in. */
export type Seat = "looking" | "asked" | "in";

export interface Reading extends Reader {
  readonly startedBy?: string | undefined;
}

export type KeysDo = "type" | "step in" | "offer" | "nothing";

const STEP_IN_KEY = "i";

/** What typed bytes are for. They reach nobody before the bridge has let somebody in. */
export function keysDo(seat: Seat, typed: Buffer): KeysDo {
  if (seat === "in") return "type";
  if (seat === "asked") return "nothing";
  return typed.toString("latin1") === STEP_IN_KEY ? "step in" : "offer";
}

export function offerWords(detachKey: string): string[] {
  return [
    `an agent works here: press ${STEP_IN_KEY} to step in`,
    `${detachKey} detaches`,
    "stepping in keeps the agent from typing and reading",
  ];
}

export function inWords(reading: Reading, detachKey: string): string[] {
  const of = reading.startedBy === undefined ? "" : ` of ${reading.startedBy}`;
  // Short: all of it is to fit 80 columns.
  return [
    `you type into ${formatReader(reading)}${of}`,
    `${detachKey} hands back`,
    formatStaysOpen(reading),
  ];
}
