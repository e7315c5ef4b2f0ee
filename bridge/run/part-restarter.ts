// Restarts a part that died, retrying until one is up or the run ends. Ending a run waits for starts in
// progress, which would otherwise outlive it.

import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "../errors.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";

/** Leaves a process that just died time to release its socket or port. */
export const RETRY_MS = 500;

export interface Replacement<Part> {
  readonly name: string;
  readonly open: () => Promise<Part>;
  readonly adopt: (part: Part) => void;
  /** Disposes a part that came up after the run ended. */
  readonly discard: (part: Part) => void | Promise<void>;
}

export class PartRestarter {
  readonly #log: Pick<Log, "error">;
  readonly #retryMs: number;
  readonly #pending = new Set<Promise<void>>();
  #isEnded = false;

  constructor(log: Pick<Log, "error">, retryMs = RETRY_MS) {
    this.#log = log;
    this.#retryMs = retryMs;
  }

  restart<Part>(part: Replacement<Part>): void {
    const running = this.#restart(part).finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }

  /** Stops retrying. Resolves when no start is in progress. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#pending);
  }

  async #restart<Part>({ name, open, adopt, discard }: Replacement<Part>): Promise<void> {
    const part = await this.#openWithRetry(name, open);
    if (part === undefined) return;
    try {
      if (this.#isEnded) await discard(part.is);
      else adopt(part.is);
    } catch (error) {
      logFault(this.#log, `the new ${name}`, error);
    }
  }

  async #openWithRetry<Part>(
    name: string,
    open: () => Promise<Part>,
  ): Promise<{ readonly is: Part } | undefined> {
    while (!this.#isEnded) {
      try {
        return { is: await open() };
      } catch (error) {
        this.#log.error(`no new ${name}: ${errorMessage(error)}`);
        await delay(this.#isEnded ? 0 : this.#retryMs);
      }
    }
    return undefined;
  }
}
