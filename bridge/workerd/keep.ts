// Owns keeping a relay up: when its workerd dies, another is started on the same port.

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

export interface KeptRelay {
  /** Ends it; it is not started again. */
  stop(graceMs: number): Promise<void>;
}

/** Resolves when the relay is up for the first time; rejects if that fails. */
export async function keepRelay(options: KeeperOptions): Promise<KeptRelay> {
  const stop = new AbortController();
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
      const end = await current.ended;
      if (stop.signal.aborted) return;
      options.say(`workerd ${current.record.pid} died (${end}); starting it again`);
      if (performance.now() - began < SHORT_LIFE_MS) await delay(RETRY_MS);
      await startAgain();
    }
  }

  async function startAgain(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        current = await start();
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
    stop: async (graceMs) => {
      stop.abort();
      await current.end(graceMs);
      await watching;
    },
  };
}
