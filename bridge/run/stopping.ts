// Owns how a run's end is gone through: every step is taken, whatever became of the one before.

import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";

type Step = () => void | Promise<void>;

/** One after the other. A fault is written down where it happened, and told once all is done. */
export async function inTurn(
  log: Pick<Log, "error">,
  steps: Readonly<Record<string, Step>>,
): Promise<void> {
  const faults: unknown[] = [];
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
    } catch (error) {
      logFault(log, name, error);
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, "not everything ended");
}

/** All together; over when each of them is. */
export async function atOnce(...ends: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const settled = await Promise.allSettled(ends.filter((end) => end !== undefined));
  const faults = settled.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (faults.length > 0) throw new AggregateError(faults, "not everything ended");
}
