// Owns emoji that are made of several: families (joined by U+200D), skin tones, flags. Programs and
// the bridge count the cells of all parts, as the C library does; a browser draws one picture as wide
// as one part, and what follows would move to the left. Drawn as one cell of their full width, they
// leave the rest of the line in its place. Pure.

/** A look tells that most lines have none. */
const HINT = /\u200D|\p{Emoji_Modifier}|\p{RI}/u;

const PART = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`;

const JOINED = new RegExp(
  String.raw`${PART}(?:\u200D${PART})+|\p{Extended_Pictographic}\p{Emoji_Modifier}|\p{RI}\p{RI}`,
  "gu",
);

/** Where they are in a line, as xterm's character joiners say it: from and to. */
export function joinedEmoji(line: string): [number, number][] {
  if (!HINT.test(line)) return [];
  return Array.from(line.matchAll(JOINED), ({ index, 0: { length } }) => [index, index + length]);
}
