// Owns how people read times and durations, both in the page and on the command line. Output for
// programs (--json, log files, messages) has ISO texts or milliseconds instead. Also owns the
// format of durations and sizes, shared by the page and the command line. And the formatting of a
// command's words as one line for people: readable by a shell, with the fewest quotes. Pure; shared
// by the page and the command line.

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

const UNITS = ["bytes", "KB", "MB", "GB"];

/** Returns `1:05` or `1:00:05`. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [
    Math.floor(whole / 3_600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const two = (number: number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < UNITS.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  const digits = unit > 0 && size < 10 ? 1 : 0;
  return `${size.toFixed(digits)} ${UNITS[unit]}`;
}

/** Words that a shell reads without quotes. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Characters that are special to a shell between double quotes. */
const SPECIAL_IN_DOUBLE_QUOTES = /["$`\\!]/;

export function formatCommandLine({
  command,
}: {
  readonly command: string | readonly string[];
}): string {
  return typeof command === "string" ? command : command.map(quoteWord).join(" ");
}

/** Quotes a text for any POSIX shell, whatever it contains. */
export function singleQuote(text: string): string {
  return `'${escapeInsideQuotes(text, "'")}'`;
}

/** Quotes a word for a shell in the way that is easiest to read; a plain one stays as it is. */
export function quoteWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const quote = chooseQuote(word);
  return quote + escapeInsideQuotes(word, quote) + quote;
}

/** Returns the quote for a word: double only if it has a `'` and needs no escapes then. */
export function chooseQuote(word: string): "'" | '"' {
  return word.includes("'") && !SPECIAL_IN_DOUBLE_QUOTES.test(word) ? '"' : "'";
}

/** Escapes a part of a word for use between the given quotes. */
export function escapeInsideQuotes(part: string, quote: "'" | '"'): string {
  return quote === '"' ? part : part.replaceAll("'", String.raw`'\''`);
}
