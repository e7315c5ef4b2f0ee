// Makes others' text safe for a terminal: control, bidi and zero-width characters, which could control
// it or hide or reverse text, become \u escapes, as in JSON. Pure.

/** All but line ends and tabs, which JSON strings never contain raw. */
const UNSAFE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the escaped text; JSON keeps its meaning. */
export function escapeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, (letter) => {
    const units = Array.from({ length: letter.length }, (_, at) => letter.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
