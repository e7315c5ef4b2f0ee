// Owns the pure decision when a screen is fed without a request: after much output once it is
// quiet, and before the host drops unfed bytes, unless output comes too fast. Also how much is fed
// per turn. Also owns which sequences take long to draw: those whose cost grows with the whole
// screen or with a number in them. And the pure choice of where a screen starts if earlier bytes
// are gone, or too many.

import type { ScreenMark } from "../../protocol/host.ts";
import { KiB, MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import { findCharacterStart } from "../../protocol/text.ts";
import type { Emulator } from "./emulator.ts";
import { ENTER_ALTERNATE } from "../sequences/mode-table.ts";

/** Feeding less than this is not worth an emulator. */
const MIN_FEED_BYTES = 64 * KiB;

/** No output for this long counts as quiet: programs that draw do so more often. */
const QUIET_MS = 750;

/** Fed before this much is unfed, while the host still has it. */
const LATE_BYTES = REPLAY_BYTES / 2;

/**
 * Beyond this rate, in bytes a second, feeding would slow viewers down; the screen is rebuilt
 * later.
 */
const FLOOD_RATE = 1 * MiB;

export interface Pace {
  /** The screen (or its checkpoint) has everything before this offset. */
  readonly fed: number;
  /** Last reported end of the stream, and its time. */
  readonly end: number;
  readonly at: number;
  /** Recent rate in bytes a second. */
  readonly rate: number;
}

/** Records a report of activity. */
export function recordActivity(pace: Pace, end: number, now: number): Pace {
  if (pace.at === 0) return { ...pace, end, at: now };
  const seconds = Math.max(0.05, (now - pace.at) / 1000);
  const rate = (end - pace.end) / seconds;
  // A short pause does not end a flood.
  return { ...pace, end, at: now, rate: Math.max(rate, pace.rate / 2) };
}

/** Decides whether to feed; "later": there is unfed output that may be fed soon. */
export function shouldFeed({ fed, end, at, rate }: Pace, now: number): "now" | "later" | "never" {
  const unfed = end - fed;
  if (unfed < MIN_FEED_BYTES) return "never";
  if (now - at >= QUIET_MS) return "now";
  return unfed >= LATE_BYTES && rate < FLOOD_RATE ? "now" : "later";
}

/** Written in one step: about a millisecond of text. */
export const SLICE_BYTES = 16 * KiB;

/** A longer step would visibly delay keystrokes. */
export const SLICE_MS = 8;

/** Limit for drawing in one feed: ten times the normal cost of everything retained. */
export const FEED_MS = 2_000;

/** Beyond the limit, the screen restarts with this much of the end, without costly sequences. */
export const RESTART_BYTES = 16 * KiB;

/** One or two sequences. A single one cannot be cut, and none takes long (protocol/repeat-limits.ts). */
const MIN_SLICE = 8;

/** Returns the next step's size, by the duration of the last: scrolling costs 1,000 times text. */
export function nextSlice(slice: number, tookMs: number): number {
  const fits = tookMs <= SLICE_MS ? slice * 2 : Math.floor((slice * SLICE_MS) / tookMs);
  return Math.min(SLICE_BYTES, Math.max(MIN_SLICE, fits));
}

// Owns which sequences take long to draw: those whose cost grows with the whole screen or with a
// number in them. They are written one at a time, with a check of the clock in between. Pure.

/**
 * Scrolling, inserting and erasing lines, tabs and repetitions by number, columns, modes (some
 * change the whole screen), reset, test pattern, reverse index. C1's CSI comes as two bytes of
 * UTF-8.
 */
// oxlint-disable-next-line no-control-regex -- sequences are made of them
const COSTLY = /(?:\x1B\[|\xC2\x9B)[0-9:;<=>?]*(?:[ILMSTJZbhl^]|[ '][@A}~])|\x1B(?:c|M|#8)/g;

/** Yields where to check the clock: after each such sequence, and at the end. */
export function* listSteps(bytes: Uint8Array): Generator<number> {
  for (const { 0: sequence, index } of toLatin1(bytes).matchAll(COSTLY)) {
    const end = index + sequence.length;
    if (end < bytes.length) yield end;
  }
  yield bytes.length;
}

/** Returns the bytes without costly sequences, when there is no time for them. */
export function removeCostly(bytes: Uint8Array): Buffer {
  return Buffer.from(toLatin1(bytes).replaceAll(COSTLY, ""), "latin1");
}

function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** More than a thousand long lines; older ones would have scrolled away. */
export const REBUILD_BYTES = 512 * KiB;

/** The host's distance between marks: after this many bytes, changed modes have a mark. */
const MARK_BYTES = 64 * KiB;

export interface Mark {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly modes: string;
}

export interface ScreenStart extends Mark {
  /** Whether the start has no mark: the first line may be incomplete, and is skipped. */
  readonly isWithinLine: boolean;
}

/** Returns the host's marks with all modes filled in. */
export function fillModes(marks: readonly ScreenMark[]): Mark[] {
  let modes = "";
  return marks.map((mark) => {
    modes = mark.modes ?? modes;
    return { ...mark, modes };
  });
}

/** Chooses the start; `first` and `end` are the retained range, and `marks` is not empty. */
export function chooseStart(marks: readonly Mark[], first: number, end: number): ScreenStart {
  const isAlternate = marks.at(-1)?.modes.includes(ENTER_ALTERNATE) ?? false;
  // A full-screen program may have drawn something long ago and not since.
  const lowest = isAlternate ? first : Math.max(first, end - REBUILD_BYTES);
  const base = marks.findLast(({ offset }) => offset <= lowest) ?? marks[0];
  if (base === undefined) {
    return { offset: lowest, cols: 80, rows: 24, modes: "", isWithinLine: lowest > 0 };
  }
  if (base.offset >= first && lowest - base.offset < MARK_BYTES) {
    return { ...base, isWithinLine: false };
  }
  const next = marks.find(({ offset }) => offset > lowest);
  const isSettled = lowest - base.offset >= MARK_BYTES;
  if (!isSettled && next !== undefined) return { ...next, isWithinLine: false };
  return { ...base, offset: lowest, isWithinLine: true };
}

/** How far a rebuilt screen searches for the end of its first line. */
const LINE_REACH = 4 * KiB;
const NEWLINE = 0x0a;

/** Returns the start after the first line's end if that is near, else the first character. */
export function lineStart(bytes: Buffer): number {
  const newline = bytes.subarray(0, LINE_REACH).indexOf(NEWLINE);
  return newline < 0 ? findCharacterStart(bytes, 0) : newline + 1;
}

/** Writes until the time has passed, at least one step. */
export function writeFor(emulator: Pick<Emulator, "write">, bytes: Buffer, ms: number) {
  const began = performance.now();
  let written = 0;
  for (const end of listSteps(bytes)) {
    emulator.write(bytes.subarray(written, end));
    written = end;
    if (performance.now() - began > ms) break;
  }
  return { written, took: performance.now() - began };
}
