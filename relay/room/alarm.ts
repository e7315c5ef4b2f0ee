// Owns the room's single alarm, set for the earliest time that any part of the room needs. Without
// one the room hibernates undisturbed.

type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

export class RoomAlarm {
  readonly #storage: AlarmStorage;
  readonly #getTimes: () => readonly (number | undefined)[];

  /** Takes `getTimes`, which returns the due times in Unix ms; undefined means not due. */
  constructor(storage: AlarmStorage, getTimes: () => readonly (number | undefined)[]) {
    this.#storage = storage;
    this.#getTimes = getTimes;
  }

  /**
   * Sets the alarm for the earliest time. Keeps an alarm that is earlier: moving it costs a write,
   * and when it fires it sets the next one.
   */
  async update(): Promise<void> {
    const set = await this.#storage.getAlarm();
    const times = this.#getTimes().filter((at) => at !== undefined);
    const next = Math.min(...times);
    if (times.length > 0 && (set === null || set > next)) await this.#storage.setAlarm(next);
    if (times.length === 0 && set !== null) await this.#storage.deleteAlarm();
  }
}
