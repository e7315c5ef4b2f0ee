// Owns the room's one alarm: it is set for the earliest time that anything in the room needs. A room
// that needs none has none, and sleeps.

type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

export class RoomAlarm {
  readonly #storage: AlarmStorage;
  readonly #getTimes: () => readonly (number | undefined)[];

  /** `getTimes`: Unix ms of what is due; undefined for what is not. */
  constructor(storage: AlarmStorage, getTimes: () => readonly (number | undefined)[]) {
    this.#storage = storage;
    this.#getTimes = getTimes;
  }

  /** An alarm that is set for earlier stays: moving it costs a write, and it sets the next one. */
  async update(): Promise<void> {
    const set = await this.#storage.getAlarm();
    const times = this.#getTimes().filter((at) => at !== undefined);
    const next = Math.min(...times);
    if (times.length > 0 && (set === null || set > next)) await this.#storage.setAlarm(next);
    if (times.length === 0 && set !== null) await this.#storage.deleteAlarm();
  }
}
