// Owns preparing pasted text: removes control characters, and cuts it into messages within the room's limit.

/** Characters in one message: half of the dialect's limit, so that keystrokes can pass between. */
const PIECE_CHARS = 32 * 1024;

/** Bytes of a message's text as JSON: two thirds of the room's limit for a peer. */
const PIECE_BYTES = 64 * 1024;

/** Start and end of a bracketed paste; removed whole, since the rest would remain as text. */
const PASTE_MARKERS = /(?![\t\r\n])\p{Cc}\[?20[01]~/gu;

/**
 * Removes control characters except tabs and line ends: text copied from a web page may contain the sequence
 * that ends a bracketed paste, and the shell would run the rest.
 */
export function stripControls(text: string): string {
  return text
    .replace(PASTE_MARKERS, "")
    .replace(/\p{Cc}/gu, (one) => ("\t\r\n".includes(one) ? one : ""));
}

/** Cuts text between characters into pieces that fit one message each. */
export function* splitInput(text: string): Generator<string> {
  let start = 0;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const cost = getMaxJsonBytes(code);
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

/** Returns an upper bound for the size of a character in JSON and UTF-8. */
function getMaxJsonBytes(code: number): number {
  if (code < 0x20 || code === 0x22 || code === 0x5c) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 4;
}
