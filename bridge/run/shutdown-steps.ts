// Runs the steps of a shutdown so that a failing step does not skip the others.

import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";

type Step = () => void | Promise<void>;

/** Runs the steps in order. Logs each failure, and rejects with all of them at the end. */
export async function runSequentially(
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

/** Waits for all promises, then rejects with every failure. */
export async function settleAll(
  ...promises: readonly (Promise<unknown> | undefined)[]
): Promise<void> {
  const settled = await Promise.allSettled(promises.filter((end) => end !== undefined));
  const faults = settled.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (faults.length > 0) throw new AggregateError(faults, "not everything ended");
}
