// Owns keeping a relay up: when its workerd dies, or is to have other bindings, another is started on
// the same port.

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import type { ProcessRecord } from "../processes/record.ts";
import type { Workerd, WorkerdOptions } from "./run.ts";
import { startWorkerd } from "./run.ts";

/** Between tries; the port of what just died may be held for a moment. */
const RETRY_MS = 300;
/** One that lived shorter than this is not started again at once: it might die of the same. */
const SHORT_LIFE_MS = 1_000;

export interface KeeperOptions extends WorkerdOptions {
  /** Told at every start, before anybody else knows of it. */
  readonly onUp: (workerd: ProcessRecord) => void;
  readonly say: (text: string) => void;
}

/** What a running relay can be told to become. */
export type RelayChange = Pick<WorkerdOptions, "plan" | "relayKey">;

export interface KeptRelay {
  /** Ends workerd and starts it anew with other bindings. Resolves when that one is up. */
  change(to: RelayChange): Promise<void>;
  /** Ends it; it is not started again. */
  stop(graceMs: number): Promise<void>;
}

/** Resolves when the relay is up for the first time; rejects if that fails. */
export async function keepRelay(first: KeeperOptions): Promise<KeptRelay> {
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
      const asked = changes;
      const end = await current.ended;
      if (stop.signal.aborted) return;
      if (asked === changes) {
        options.say(`workerd ${current.record.pid} died (${end}); starting it again`);
        if (performance.now() - began < SHORT_LIFE_MS) await delay(RETRY_MS);
      }
      await startAgain();
      changed();
    }
  }

  async function startAgain(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const asked = options;
        current = await start();
        // Told to become something else meanwhile.
        if (asked !== options && !stop.signal.aborted) {
          await current.end(0);
          continue;
        }
        // Asked to stop meanwhile: whoever asked has ended the one before.
        if (stop.signal.aborted) await current.end(0);
        return;
      } catch (error) {
        options.say(`workerd did not start again: ${messageOf(error)}`);
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
