// Owns what becomes of pasted text: made harmless, and cut into messages that the room takes.

/** Characters in one message; half of the dialect's limit, so that a keystroke may pass between. */
const PIECE_CHARS = 32 * 1024;

/** Bytes of one message's text once quoted: two thirds of what the room takes from a peer. */
const PIECE_BYTES = 64 * 1024;

/** The sequences that begin and end a bracketed paste: without their control character they are litter. */
const PASTE_MARKERS = /(?![\t\r\n])\p{Cc}\[?20[01]~/gu;

/**
 * Without control characters but tabs and line ends: text copied from a web page may hide the
 * sequence that ends a bracketed paste, and what follows it would run.
 */
export function harmless(text: string): string {
  return text
    .replace(PASTE_MARKERS, "")
    .replace(/\p{Cc}/gu, (one) => ("\t\r\n".includes(one) ? one : ""));
}

/** Cuts between characters; the pieces joined are the text. */
export function* pieces(text: string): Generator<string> {
  let start = 0;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const cost = quotedBytes(code);
    if (at > start && (bytes + cost > PIECE_BYTES || at + length - start > PIECE_CHARS)) {
      yield text.slice(start, at);
      start = at;
      bytes = 0;
    }
    bytes += cost;
    at += length;
  }
  if (start < text.length) yield text.slice(start);
}

/** An upper bound of what JSON and UTF-8 make of one character. */
function quotedBytes(code: number): number {
  if (code < 0x20 || code === 0x22 || code === 0x5c) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 4;
}
