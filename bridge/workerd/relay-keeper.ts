// Keeps a relay running: restarts workerd on the same port when it dies or needs other bindings.
// Decides the log level of a line that workerd prints: errors of workerd and the Worker are
// warnings, the rest is info.

import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "../errors.ts";
import type { LineLevel } from "../logs/log-paths.ts";
import type { ProcessRecord } from "../processes/process-record.ts";
import type { Workerd, WorkerdOptions } from "./workerd-process.ts";
import { startWorkerd } from "./workerd-process.ts";

/** Pause between attempts: the port of a dead process may be held for a moment. */
const RETRY_MS = 300;
/** A workerd that lived shorter than this is restarted after a pause: the cause may persist. */
const SHORT_LIFE_MS = 1_000;

export interface KeeperOptions extends WorkerdOptions {
  /** Fires at every start, before the relay is announced. */
  readonly onUp: (workerd: ProcessRecord) => void;
  readonly log: (text: string) => void;
}

/** The options that can change while a relay runs. */
export type RelayChange = Pick<WorkerdOptions, "plan" | "relayKey">;

export interface RelayKeeper {
  /** Restarts workerd with other bindings. Resolves when it is up. */
  change(to: RelayChange): Promise<void>;
  /** Stops workerd for good. */
  stop(graceMs: number): Promise<void>;
}

/** Resolves when the relay is up for the first time; rejects if that fails. */
export async function keepRelay(first: KeeperOptions): Promise<RelayKeeper> {
  const stop = new AbortController();
  let options = first;
  let changes = 0;
  let changed = (): void => {};
  let current = await start();
  const watching = watch();

  async function start(): Promise<Workerd> {
    const workerd = await startWorkerd(options);
    options.onUp(workerd.record);
    return workerd;
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      const began = performance.now();
      const expected = changes;
      const end = await current.ended;
      if (stop.signal.aborted) return;
      if (expected === changes) {
        options.log(`workerd ${current.record.pid} died (${end}); restarting it`);
        if (performance.now() - began < SHORT_LIFE_MS) await delay(RETRY_MS);
      }
      await startAgain();
      changed();
    }
  }

  async function startAgain(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const expected = options;
        current = await start();
        // The options changed during the start.
        if (expected !== options && !stop.signal.aborted) {
          await current.end(0);
          continue;
        }
        // Stopped during the start: the caller ended only the previous process.
        if (stop.signal.aborted) await current.end(0);
        return;
      } catch (error) {
        options.log(`workerd did not restart: ${errorMessage(error)}`);
        await delay(RETRY_MS);
      }
    }
  }

  return {
    change: async (to) => {
      options = { ...options, ...to };
      changes += 1;
      const up = new Promise<void>((resolve) => {
        changed = resolve;
      });
      await current.end(0);
      await up;
    },
    stop: async (graceMs) => {
      stop.abort();
      await current.end(graceMs);
      await watching;
    },
  };
}

export function getLineLevel(line: string): LineLevel {
  return /\berror\b|exception|failed/i.test(line) ? "warn" : "info";
}
