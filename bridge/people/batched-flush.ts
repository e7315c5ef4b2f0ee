// Owns batching: many changes within a moment lead to one message.

import type { Schedule } from "../schedule.ts";
import { scheduleUnref } from "../schedule.ts";

export abstract class BatchedFlush {
  readonly #milliseconds: number;
  readonly #schedule: Schedule;
  #cancel: (() => void) | undefined;

  constructor(milliseconds: number, schedule: Schedule = scheduleUnref) {
    this.#milliseconds = milliseconds;
    this.#schedule = schedule;
  }

  /** Sends everything that changed since the last flush. */
  protected abstract flush(): void;

  /** Schedules a flush, unless one is scheduled. */
  scheduleFlush(): void {
    this.#cancel ??= this.#schedule(() => {
      this.#cancel = undefined;
      this.flush();
    }, this.#milliseconds);
  }

  dispose(): void {
    this.#cancel?.();
  }
}
