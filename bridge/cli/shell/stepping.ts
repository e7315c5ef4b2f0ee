// Owns what a window does with keys for an agent's terminal: nothing until somebody steps in there,
// and the words about it. Pure; who may step in is the bridge's to say.

/** Of an agent's terminal: only looking, asked to step in, or in. */
export type Seat = "looking" | "asked" | "in";

export interface Reading {
  readonly program: string | null;
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

export function inWords({ program, startedBy }: Reading, detachKey: string): string[] {
  const reader = program ?? "sudo, or another user's program,";
  const of = startedBy === undefined ? "" : ` of ${startedBy}`;
  // Short: all of it is to fit 80 columns.
  return [`you type into ${reader}${of}`, `${detachKey} hands back`, "sudo stays open"];
}
