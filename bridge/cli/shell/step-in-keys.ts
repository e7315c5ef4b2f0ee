// Decides what a window does with keys for an agent's terminal before and after stepping in, and its
// notices. Pure; the bridge decides who may step in.

import type { Reader } from "../../../protocol/foreground.ts";
import { formatReader, formatUnlocked } from "../../../protocol/foreground.ts";

/** State of this window at an agent's terminal. */
export type StepInState = "looking" | "asked" | "in";

export interface ForegroundProgram extends Reader {
  readonly startedBy?: string | undefined;
}

export type KeyAction = "type" | "step in" | "offer" | "nothing";

const STEP_IN_KEY = "i";

/** Returns what typed bytes do. None reach the program before the bridge accepted the step-in. */
export function getKeyAction(state: StepInState, typed: Buffer): KeyAction {
  if (state === "in") return "type";
  if (state === "asked") return "nothing";
  return typed.toString("latin1") === STEP_IN_KEY ? "step in" : "offer";
}

export function formatStepInOffer(detachKey: string): string[] {
  return [
    `an agent is working here: press ${STEP_IN_KEY} to step in`,
    `${detachKey} detaches`,
    "while you are in, the agent cannot type or read",
  ];
}

export function formatSteppedIn(reading: ForegroundProgram, detachKey: string): string[] {
  const owner = reading.startedBy === undefined ? "" : ` of ${reading.startedBy}`;
  // Short, to fit 80 columns.
  return [
    `typing into ${formatReader(reading)}${owner}`,
    `${detachKey} hands back`,
    formatUnlocked(reading),
  ];
}
