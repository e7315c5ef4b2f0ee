// Owns what a watched, idle room costs in an hour, told from some alarms of one that looks at its
// bridge more often than a real one does. Pure.

export interface Watched {
  /** The boot id of the object that each alarm met. */
  readonly alarms: readonly string[];
  /** Milliseconds in handlers of these alarms. */
  readonly awakeMs: number;
  /** Frames that the bridge was sent meanwhile. */
  readonly asked: number;
}

export interface IdleHour {
  readonly alarms: number;
  readonly awakeSeconds: number;
}

const HOUR_MS = 3_600_000;

/**
 * Undefined when the room did not sleep between its alarms, or asked its bridge something: then it was
 * not idle. `lookEveryMs`: of a real room.
 */
export function toIdleHour(watched: Watched, lookEveryMs: number): IdleHour | undefined {
  const { alarms, awakeMs, asked } = watched;
  const slept = new Set(alarms).size === alarms.length;
  if (alarms.length === 0 || !slept || asked > 0) return undefined;
  const hourly = HOUR_MS / lookEveryMs;
  return { alarms: hourly, awakeSeconds: ((awakeMs / alarms.length) * hourly) / 1_000 };
}
