// Owns finding emoji made of several code points: families (joined by U+200D), skin tones, flags. Programs and
// the bridge count the cells of all parts, as the C library does, but a browser draws one glyph as wide as one
// part, which would shift the rest of the line. Joined into one cell of full width, they do not. Pure.

/** Quick test: most lines have no such emoji. */
const MAY_CONTAIN = /\u200D|\p{Emoji_Modifier}|\p{RI}/u;

const PART = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`;

const JOINED = new RegExp(
  String.raw`${PART}(?:\u200D${PART})+|\p{Extended_Pictographic}\p{Emoji_Modifier}|\p{RI}\p{RI}`,
  "gu",
);

/** Returns the ranges of joined emoji in a line, as xterm's character joiners expect them. */
export function findJoinedEmoji(line: string): [number, number][] {
  if (!MAY_CONTAIN.test(line)) return [];
  return Array.from(line.matchAll(JOINED), ({ index, 0: { length } }) => [index, index + length]);
}
