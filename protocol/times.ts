// Owns how people read times and durations, both in the page and on the command line. Output for
// programs (--json, log files, messages) has ISO texts or milliseconds instead. Pure.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A text is in the reader's own time zone, which `Date` uses. */
interface TimeOptions {
  /** Seconds too, where several things happen within a minute. */
  readonly seconds?: boolean;
}

/**
 * Returns "" for an invalid time, "14:03" for today, "17 Nov 14:03" for this year, else "17 Nov
 * 2025 14:03".
 */
export function formatTime(at: number, now: number, { seconds = false }: TimeOptions = {}): string {
  const [time, today] = [new Date(at), new Date(now)];
  if (Number.isNaN(time.getTime())) return "";
  const numbers = [time.getHours(), time.getMinutes(), ...(seconds ? [time.getSeconds()] : [])];
  const clock = numbers.map((part) => String(part).padStart(2, "0")).join(":");
  const day = `${time.getDate()} ${MONTHS[time.getMonth()]}`;
  if (time.getFullYear() !== today.getFullYear()) return `${day} ${time.getFullYear()} ${clock}`;
  const isToday = time.getMonth() === today.getMonth() && time.getDate() === today.getDate();
  return isToday ? clock : `${day} ${clock}`;
}

/** Returns "5 s", "3 min", "2 h" or "4 d": whole units, rounded down; below a second "0 s". */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h`;
  return `${Math.floor(seconds / DAY_S)} d`;
}
