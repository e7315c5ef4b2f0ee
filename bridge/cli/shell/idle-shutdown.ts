// Ends a background bridge that has had no terminal and no visitor for a while.

import type { BridgeRun } from "../../run/bridge-run.ts";

const POLL_MS = 10_000;

export function endWhenIdle(run: BridgeRun, afterMs: number, end: () => void): void {
  let idleSince: number | undefined;
  const timer = setInterval(
    () => {
      const isIdle = run.pool.running().length === 0 && run.people.length === 0;
      if (!isIdle) idleSince = undefined;
      else idleSince ??= Date.now();
      if (idleSince === undefined || Date.now() - idleSince < afterMs) return;
      clearInterval(timer);
      end();
    },
    Math.min(POLL_MS, afterMs),
  );
  timer.unref();
}
