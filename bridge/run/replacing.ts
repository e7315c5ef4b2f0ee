// Owns starting another of a part that died, until one is there or the run ends. Whoever ends
// the run waits for what is being started: it would outlive everybody who knows of it.

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";

/** What just died may hold its place for a moment. */
export const RETRY_MS = 500;

export interface Replaced<Part> {
  readonly name: string;
  readonly open: () => Promise<Part>;
  readonly take: (part: Part) => void;
  /** It came when nobody wanted it any more. */
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

  /** Nothing is taken any more. Resolves when nothing is being started. */
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
