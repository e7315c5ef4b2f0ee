// Owns the JSON payloads between bridge and pty host (see frame-types.ts for who sends which).
// The host knows processes, bytes and offsets. What a terminal means is the bridge's `meta`, which
// the host keeps for the next bridge without looking at it.

import * as z from "zod/mini";
import { REPLAY_BYTES } from "./limits.ts";
import { Columns, Exit, Rows, TerminalId } from "./terminal.ts";

const Offset = z.int().check(z.nonnegative());
const RequestNumber = z.int().check(z.nonnegative(), z.lte(0xffff_ffff));

/** Opaque to the host. */
const Meta = z.record(z.string(), z.unknown());

/** Not 0 and less: to signal these is to signal many. */
const ProcessId = z.int().check(z.minimum(1));

export const HostHello = z.object({
  version: z.int(),
  software: z.string().check(z.maxLength(80)),
  /** Only wants to know what is there; is told that, and is no client. Older hosts ignore it. */
  looks: z.optional(z.boolean()),
});
export type HostHello = z.infer<typeof HostHello>;

export const HostWelcome = z.object({
  version: z.int(),
  pid: ProcessId,
  /** 32 hex digits, made once by the host: the bridge's identity towards the room. */
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** What the last bridge left with `setState`. */
  state: z.nullable(z.string()),
  /** It keeps marks, checkpoints and queries; hosts of before do not say so. */
  screens: z.optional(z.boolean()),
});
export type HostWelcome = z.infer<typeof HostWelcome>;

export const TerminalState = z.object({
  id: TerminalId,
  /** The request this answers; absent behind a welcome. */
  request: z.optional(RequestNumber),
  pid: ProcessId,
  epoch: z.int(),
  cols: Columns,
  rows: Rows,
  /** The first byte still retained, and where the stream ends now. */
  first: Offset,
  end: Offset,
  exit: z.nullable(Exit),
  meta: Meta,
  /** What its program calls itself; hosts of before do not say. */
  title: z.optional(z.string()),
});
export type TerminalState = z.infer<typeof TerminalState>;

/** `untilForgotten`: neither time nor newer ones crowd it out, only the bridge's `forget`. */
export const Retain = z.object({
  bytes: z.int().check(z.nonnegative(), z.lte(REPLAY_BYTES)),
  untilForgotten: z.boolean(),
});
export type Retain = z.infer<typeof Retain>;

export const Spawn = z.object({
  request: RequestNumber,
  id: TerminalId,
  /** An absolute path: looking a name up in PATH is the bridge's work. */
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** The whole environment; the host adds nothing to it. */
  env: z.record(z.string(), z.string()),
  cols: Columns,
  rows: Rows,
  meta: Meta,
  /** What stays of it once it has finished; hosts of before keep what they keep of any. */
  retain: z.optional(Retain),
});
export type Spawn = z.infer<typeof Spawn>;

export const Failed = z.object({ request: RequestNumber, error: z.string() });
export type Failed = z.infer<typeof Failed>;

export const Resize = z.object({ cols: Columns, rows: Rows });
export type Resize = z.infer<typeof Resize>;

/** Sent to the process group that the terminal's first process leads. */
export const Signal = z.object({ signal: z.string().check(z.regex(/^SIG[A-Z0-9]{1,12}$/)) });
export type Signal = z.infer<typeof Signal>;

/**
 * Send from `from` on, up to the offset `credit`. `paced`: hold the program back rather than lose
 * bytes, for as long as the credit keeps being renewed.
 */
export const Read = z.object({ from: Offset, credit: Offset, paced: z.boolean() });
export type Read = z.infer<typeof Read>;

/** Bytes from `from` up to `to` are lost to this reader; output goes on at `to`. */
export const Gap = z.object({ from: Offset, to: Offset });
export type Gap = z.infer<typeof Gap>;

/**
 * The retained bytes from `from` on (or from the first retained one), at most `most` from the end;
 * with `to`, nothing from there on (hosts of before do not know it).
 */
export const Fetch = z.object({
  request: RequestNumber,
  from: Offset,
  most: z.int().check(z.nonnegative()),
  to: z.optional(Offset),
  /**
   * The bridge takes other frames between two chunks, and starts over at a chunk that does not
   * follow the last one. Absent from older bridges, which get the answer in one go.
   */
  steps: z.optional(z.boolean()),
});
export type Fetch = z.infer<typeof Fetch>;

export const Activity = z.object({ end: Offset });
export type Activity = z.infer<typeof Activity>;

export const Title = z.object({ title: z.string() });
export type Title = z.infer<typeof Title>;

export const Exited = z.object({ exit: Exit, end: Offset });
export type Exited = z.infer<typeof Exited>;

export const SetMeta = z.object({ meta: Meta });
export type SetMeta = z.infer<typeof SetMeta>;

/** `since`: marks from there on. `checkpoint`: send the last one too, if it is of use. */
export const ScreenAsk = z.object({
  request: RequestNumber,
  since: Offset,
  checkpoint: z.boolean(),
});
export type ScreenAsk = z.infer<typeof ScreenAsk>;

/** At this offset the terminal had this size, and `modes` (or those of the mark before). */
export const ScreenMark = z.object({
  offset: Offset,
  cols: Columns,
  rows: Rows,
  /** Sequences that bring a fresh terminal into them. */
  modes: z.optional(z.string()),
});
export type ScreenMark = z.infer<typeof ScreenMark>;

export const ScreenState = z.object({
  request: RequestNumber,
  first: Offset,
  end: Offset,
  marks: z.array(ScreenMark),
});
export type ScreenState = z.infer<typeof ScreenState>;

/** `text` is the question, `offset` where it ends in the stream. */
export const Query = z.object({ offset: Offset, text: z.string() });
export type Query = z.infer<typeof Query>;
