// Owns how a terminal that somebody closes is ended: ask, insist, then sweep what hid.

import { setTimeout as delay } from "node:timers/promises";
import { markedProcesses, sweep } from "./sweep.ts";

/** A program may want to save; a person who closed a tab does not want to wait longer. */
const GRACE_MS = 2_000;
/** Children that got the same hang-up may need a moment more than their shell. */
const STRAGGLER_MS = 500;
const LOOK_EVERY_MS = 50;

export interface Ending {
  /** A command of its own, not a shell that somebody sits at. */
  readonly isCommand: boolean;
  /** To the group of the terminal's first process. */
  readonly signal: (name: string) => void;
  readonly finished: Promise<void>;
  readonly mark: string;
}

export async function endTree({ isCommand, signal, finished, mark }: Ending): Promise<void> {
  // A server puts its house in order on TERM; a shell ignores that, and passes a hang-up on.
  signal(isCommand ? "SIGTERM" : "SIGHUP");
  signal("SIGCONT");
  if (!(await within(finished, GRACE_MS / 2))) {
    signal("SIGHUP");
    signal("SIGTERM");
    if (!(await within(finished, GRACE_MS / 2))) signal("SIGKILL");
  }
  await finished;
  if (await isGone(mark)) return;
  sweep(mark);
  // What was killed is gone a moment later.
  await isGone(mark);
}

async function isGone(mark: string): Promise<boolean> {
  for (let waited = 0; waited < STRAGGLER_MS; waited += LOOK_EVERY_MS) {
    if (markedProcesses(mark).length === 0) return true;
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

async function within(event: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([event.then(() => true), late]);
  timer.abort();
  return done;
}
