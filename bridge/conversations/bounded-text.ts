// Owns the limits of texts that agents send, and cutting a text to one. Pure.

import { KiB } from "../../protocol/limits.ts";

/** Limit of one text; the rest is cut. An entry must fit a frame as JSON. */
export const MAX_TEXT = 12 * KiB;
/** Limit of a title, a path or a line of a plan. */
export const MAX_TITLE = 400;

/** Control characters except tab and line breaks, and unpaired surrogates. */
const UNPRINTABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;

/** Cuts a text. Replaces control characters, which JSON would escape with six bytes each. */
export function cut(text: string, most: number): string {
  const isLong = text.length > most;
  const short = (isLong ? text.slice(0, most) : text).replaceAll(UNPRINTABLE, "\uFFFD");
  return isLong ? `${short}…` : short;
}

export function formatExit(code: number | null | undefined, signal: string | null | undefined) {
  if (isPresent(code)) return `exit ${code}`;
  return isPresent(signal) && signal !== "" ? cut(signal, 40) : "ended";
}

export function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
