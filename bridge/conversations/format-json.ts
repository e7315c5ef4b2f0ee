// Owns formatting a value from an agent's JSON for people: indented as by JSON.stringify, but stops
// soon after the limit. JSON.stringify costs the square of the depth and overflows the stack. Pure.

/** Deeper levels are not readable. */
const MAX_DEPTH = 32;
const INDENT = "  ";

/** Returns the whole text, or slightly more than `most` characters. */
export function formatJson(value: unknown, most: number): string {
  let text = "";

  function write(one: unknown, depth: number): void {
    if (typeof one === "string") text += JSON.stringify(one.slice(0, most));
    else if (typeof one !== "object" || one === null) text += String(one);
    else if (depth === MAX_DEPTH) text += "…";
    else if (Array.isArray(one)) {
      const isFull = writeAll("[", one, depth, (item) => write(item, depth + 1));
      if (!isFull) text += "]";
    } else {
      const isFull = writeAll("{", Object.entries(one), depth, ([name, item]) => {
        text += `${JSON.stringify(name.slice(0, most))}: `;
        write(item, depth + 1);
      });
      if (!isFull) text += "}";
    }
  }

  /** Returns whether the limit was reached. */
  function writeAll<T>(open: string, all: readonly T[], depth: number, each: (one: T) => void) {
    text += open;
    for (const [index, one] of all.entries()) {
      if (text.length > most) return true;
      text += `${index === 0 ? "" : ","}\n${INDENT.repeat(depth + 1)}`;
      each(one);
    }
    if (all.length > 0) text += `\n${INDENT.repeat(depth)}`;
    return text.length > most;
  }

  write(value, 0);
  return text;
}
