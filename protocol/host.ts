// Owns the JSON payloads between bridge and pty host (see frame-types.ts for who sends which). The
// host handles processes, bytes and offsets. The bridge describes a terminal in `meta`, which the
// host stores unread for the next bridge. Also owns the binary payloads about screens between
// bridge and pty host: checkpoints and answers.

import * as z from "zod/mini";
import { readU32, writeU32 } from "./frame.ts";
import { REPLAY_BYTES } from "./limits.ts";
import { OFFSET_BYTES, decodeOffset, encodeOffset } from "./output.ts";
import { Columns, Exit, Rows, TerminalId } from "./terminal.ts";

const Offset = z.int().check(z.nonnegative());
const RequestNumber = z.int().check(z.nonnegative(), z.lte(0xffff_ffff));

/** Opaque to the host. */
const Meta = z.record(z.string(), z.unknown());

/** Positive: signalling 0 or a negative id would signal several processes. */
const ProcessId = z.int().check(z.minimum(1));

export const HostHello = z.object({
  version: z.int(),
  software: z.string().check(z.maxLength(80)),
  /** Requests only the list of terminals; the sender is not a client. Older hosts ignore it. */
  looks: z.optional(z.boolean()),
});
export type HostHello = z.infer<typeof HostHello>;

export const HostWelcome = z.object({
  version: z.int(),
  pid: ProcessId,
  /** 32 hex digits, generated once by the host: the bridge's identity towards the room. */
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** State that the last bridge stored with `setState`. */
  state: z.nullable(z.string()),
  /** The host keeps marks, checkpoints and queries. Absent from older hosts. */
  screens: z.optional(z.boolean()),
});
export type HostWelcome = z.infer<typeof HostWelcome>;

export const TerminalState = z.object({
  id: TerminalId,
  /** The request that this answers; absent after a welcome. */
  request: z.optional(RequestNumber),
  pid: ProcessId,
  epoch: z.int(),
  cols: Columns,
  rows: Rows,
  /** Offset of the first byte still retained, and current end of the stream. */
  first: Offset,
  end: Offset,
  exit: z.nullable(Exit),
  meta: Meta,
  /** The program's title. Absent from older hosts. */
  title: z.optional(z.string()),
});
export type TerminalState = z.infer<typeof TerminalState>;

/**
 * `untilForgotten`: kept until the bridge sends `forget`, regardless of age and newer terminals.
 */
export const Retain = z.object({
  bytes: z.int().check(z.nonnegative(), z.lte(REPLAY_BYTES)),
  untilForgotten: z.boolean(),
});
export type Retain = z.infer<typeof Retain>;

export const Spawn = z.object({
  request: RequestNumber,
  id: TerminalId,
  /** An absolute path: the bridge resolves names in PATH. */
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** The whole environment; the host adds nothing to it. */
  env: z.record(z.string(), z.string()),
  cols: Columns,
  rows: Rows,
  meta: Meta,
  /** How much of the terminal is kept after its exit. Older hosts ignore it. */
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
 * Requests bytes from `from` up to the offset `credit`. `paced`: pause the program rather than lose
 * bytes, as long as the credit is renewed.
 */
export const Read = z.object({ from: Offset, credit: Offset, paced: z.boolean() });
export type Read = z.infer<typeof Read>;

/** Bytes from `from` to `to` are lost to this reader; output continues at `to`. */
export const Gap = z.object({ from: Offset, to: Offset });
export type Gap = z.infer<typeof Gap>;

/**
 * Requests the retained bytes from `from` (or the first retained one) on, at most the last `most`;
 * with `to`, only those before it (older hosts ignore it).
 */
export const Fetch = z.object({
  request: RequestNumber,
  from: Offset,
  most: z.int().check(z.nonnegative()),
  to: z.optional(Offset),
  /**
   * The bridge accepts other frames between two chunks, and starts over at a chunk that does not
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

/**
 * `since`: the offset of the first mark wanted. `checkpoint`: whether to send the last one too, if
 * it is useful.
 */
export const ScreenRequest = z.object({
  request: RequestNumber,
  since: Offset,
  checkpoint: z.boolean(),
});
export type ScreenRequest = z.infer<typeof ScreenRequest>;

/** Size of the terminal at this offset, and its `modes` (absent: those of the previous mark). */
export const ScreenMark = z.object({
  offset: Offset,
  cols: Columns,
  rows: Rows,
  /** Sequences that set these modes in a fresh terminal. */
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

/** `text` is the query, `offset` its end in the stream. */
export const Query = z.object({ offset: Offset, text: z.string() });
export type Query = z.infer<typeof Query>;

const CHECKPOINT_HEADER = OFFSET_BYTES + 4;

export interface Checkpoint {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly data: Uint8Array;
}

export function encodeCheckpoint({ offset, cols, rows, data }: Checkpoint): Uint8Array {
  const payload = new Uint8Array(CHECKPOINT_HEADER + data.length);
  payload.set(encodeOffset(offset));
  writeU32(payload, OFFSET_BYTES, cols * 0x1_0000 + rows);
  payload.set(data, CHECKPOINT_HEADER);
  return payload;
}

export function decodeCheckpoint(payload: Uint8Array): Checkpoint | undefined {
  if (payload.length < CHECKPOINT_HEADER) return undefined;
  const offset = decodeOffset(payload.subarray(0, OFFSET_BYTES));
  const size = readU32(payload, OFFSET_BYTES);
  const [cols, rows] = [size >>> 16, size & 0xffff];
  if (offset === undefined || cols === 0 || rows === 0) return undefined;
  return { offset, cols, rows, data: payload.subarray(CHECKPOINT_HEADER) };
}

export interface Answer {
  /** Answers every query that ends at or before this offset. */
  readonly upTo: number;
  readonly bytes: Uint8Array;
}

export function encodeAnswer({ upTo, bytes }: Answer): Uint8Array {
  const payload = new Uint8Array(OFFSET_BYTES + bytes.length);
  payload.set(encodeOffset(upTo));
  payload.set(bytes, OFFSET_BYTES);
  return payload;
}

export function decodeAnswer(payload: Uint8Array): Answer | undefined {
  if (payload.length < OFFSET_BYTES) return undefined;
  const upTo = decodeOffset(payload.subarray(0, OFFSET_BYTES));
  return upTo === undefined ? undefined : { upTo, bytes: payload.subarray(OFFSET_BYTES) };
}
