// Owns text of others on its way to a reader's terminal: what would steer it, hide or turn letters
// around (control, bidi, zero-width) is shown by its number, as JSON writes it. Pure.

/** All but line ends and tabs, which JSON has none of between its quotes. */
const STEERING = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Also for JSON: what it says stays the same. */
export function plain(text: string): string {
  return text.replaceAll(STEERING, (letter) => {
    const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
