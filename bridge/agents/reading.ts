// Owns what an agent gets to read of a terminal: which bytes, as which text, and where to go on.
// Pure. Offsets are the terminal's own, whatever was stripped from the text.

import { stripVTControlCharacters } from "node:util";
import { HISTORY_BYTES } from "../../protocol/limits.ts";
import { characterStart, tailStart, unfinishedTail } from "../../protocol/utf8.ts";

/** A result larger than this crowds out everything else an agent knows. */
export const DEFAULT_READ_BYTES = 30_000;
export const MOST_READ_BYTES = 200_000;

export interface Retained {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface Slice {
  readonly text: string;
  readonly offset: number;
  /** Read on from here. */
  readonly next: number;
  readonly firstRetained: number;
  /** Bytes before `offset` that were asked for are not in `text`. */
  readonly truncated: boolean;
}

export interface Wish {
  /** From here on; without it, the end of the history. */
  readonly offset?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly raw?: boolean | undefined;
}

/** `retained` is everything that is kept; `over` says that no more will come. */
export function slice(retained: Retained, wish: Wish, over: boolean): Slice {
  const { offset: firstRetained, bytes } = retained;
  const most = Math.min(wish.maxBytes ?? DEFAULT_READ_BYTES, MOST_READ_BYTES);
  const end = over ? bytes.length : bytes.length - unfinishedTail(bytes);
  const whole = bytes.subarray(0, end);
  const [from, to] =
    wish.offset === undefined ? tail(whole, most) : head(whole, wish.offset - firstRetained, most);
  const text = Buffer.from(whole.subarray(from, to)).toString("utf8");
  return {
    text: wish.raw === true ? text : plain(text),
    offset: firstRetained + from,
    next: firstRetained + to,
    firstRetained,
    truncated: firstRetained + from > (wish.offset ?? 0),
  };
}

/** As a person would copy it off the screen. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n");
}

function tail(bytes: Uint8Array, most: number): [number, number] {
  return [tailStart(bytes, Math.min(most, HISTORY_BYTES)), bytes.length];
}

function head(bytes: Uint8Array, at: number, most: number): [number, number] {
  const from = characterStart(bytes, Math.min(Math.max(at, 0), bytes.length));
  const cut = bytes.subarray(from, from + most);
  const isAll = from + cut.length === bytes.length;
  return [from, from + cut.length - (isAll ? 0 : unfinishedTail(cut))];
}
