// Restarts a part that died, retrying until one is up or the run ends. Ending a run waits for starts in
// progress, which would otherwise outlive it.

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";

/** Leaves a process that just died time to release its socket or port. */
export const RETRY_MS = 500;

export interface Replaced<Part> {
  readonly name: string;
  readonly open: () => Promise<Part>;
  readonly take: (part: Part) => void;
  /** Disposes a part that came up after the run ended. */
  readonly late: (part: Part) => void | Promise<void>;
}

export class Replacing {
  readonly #log: Pick<Log, "error">;
  readonly #retryMs: number;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(log: Pick<Log, "error">, retryMs = RETRY_MS) {
    this.#log = log;
    this.#retryMs = retryMs;
  }

  replace<Part>(part: Replaced<Part>): void {
    const running = this.#replace(part).finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  /** Stops retrying. Resolves when no start is in progress. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#underWay);
  }

  async #replace<Part>({ name, open, take, late }: Replaced<Part>): Promise<void> {
    const part = await this.#insist(name, open);
    if (part === undefined) return;
    try {
      if (this.#isOver) await late(part.is);
      else take(part.is);
    } catch (error) {
      logFault(this.#log, `the new ${name}`, error);
    }
  }

  async #insist<Part>(
    name: string,
    open: () => Promise<Part>,
  ): Promise<{ readonly is: Part } | undefined> {
    while (!this.#isOver) {
      try {
        return { is: await open() };
      } catch (error) {
        this.#log.error(`no new ${name}: ${messageOf(error)}`);
        await delay(this.#isOver ? 0 : this.#retryMs);
      }
    }
    return undefined;
  }
}
