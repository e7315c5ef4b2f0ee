// Owns the pty dialect: its messages, their limits, and pairpty's optional fields, which clients
// may ignore.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import type { Role } from "./grant.ts";
import { GrantId } from "./grant.ts";
import { MAX_INPUT_CHARS } from "./limits.ts";
import type { Exit, Terminal, TerminalEvent } from "./terminal.ts";
import { Columns, Rows } from "./terminal.ts";

const MAX_ID_CHARS = 64;
const Id = z.string().check(z.maxLength(MAX_ID_CHARS));
const Offset = z.int().check(z.nonnegative());

export const PtyRequest = z.discriminatedUnion("type", [
  /** Starts output. With epoch and offset of an earlier attach: sends exactly the missing bytes. */
  z.object({
    type: z.literal("pty:attach"),
    id: Id,
    epoch: z.optional(z.int()),
    offset: z.optional(Offset),
  }),
  z.object({ type: z.literal("pty:detach"), id: Id }),
  z.object({
    type: z.literal("pty:input"),
    id: Id,
    data: z.string().check(z.maxLength(MAX_INPUT_CHARS)),
    /**
     * Optional: the person allowed a program to read the clipboard. The bridge sends all other
     * replies itself.
     */
    reply: z.optional(z.literal("clipboard")),
  }),
  z.object({ type: z.literal("pty:resize"), id: Id, cols: Columns, rows: Rows }),
  /** pairpty's: ends a user's terminal and all its processes. */
  z.object({ type: z.literal("pty:close"), id: Id }),
  /** pairpty's: the viewer has rendered everything before `offset`. */
  z.object({ type: z.literal("pty:ack"), id: Id, offset: Offset }),
  /** pairpty's: the size that this viewer has room for, and whether it is visible. */
  z.object({
    type: z.literal("pty:view"),
    id: Id,
    cols: Columns,
    rows: Rows,
    visible: z.boolean(),
  }),
  /** pairpty's: makes this viewer the driver, as if it had typed. */
  z.object({ type: z.literal("pty:drive"), id: Id }),
  /** pairpty's: requests the driver to hand over. */
  z.object({ type: z.literal("pty:ask"), id: Id }),
  /** pairpty's: hides a user's terminal from agents and view links. */
  z.object({ type: z.literal("pty:private"), id: Id, on: z.boolean() }),
  /**
   * pairpty's: allows agents to type into a user's terminal: those of these grants, or all with the
   * scope `type`.
   */
  z.object({
    type: z.literal("pty:agents-type"),
    id: Id,
    on: z.boolean(),
    grants: z.optional(z.array(GrantId).check(z.maxLength(64))),
  }),
  /** pairpty's: pins the size: the current one if none is given. */
  z.object({
    type: z.literal("pty:pin"),
    id: Id,
    on: z.boolean(),
    cols: z.optional(Columns),
    rows: z.optional(Rows),
  }),
  /** pairpty's: starts or stops a recording; all viewers are notified. */
  z.object({ type: z.literal("pty:record"), id: Id, on: z.boolean() }),
  /**
   * pairpty's: steps into an agent's terminal; its agent can neither type nor read on meanwhile.
   */
  z.object({ type: z.literal("pty:step-in"), id: Id }),
  /**
   * pairpty's: returns the terminal to its agent; `hide` keeps the output in between hidden from
   * agents.
   */
  z.object({ type: z.literal("pty:hand-back"), id: Id, hide: z.optional(z.boolean()) }),
  /** pairpty's: renames a terminal for all viewers; "" restores its own name. */
  z.object({ type: z.literal("pty:rename"), id: Id, name: z.string().check(z.maxLength(200)) }),
  /** pairpty's: makes an agent's terminal the user's, as if its agent had promoted it. */
  z.object({ type: z.literal("pty:promote"), id: Id }),
  /** pairpty's: hands over to a peer, usually one that requested it. */
  z.object({ type: z.literal("pty:give"), id: Id, peer: z.int().check(z.nonnegative()) }),
]);
export type PtyRequest = z.infer<typeof PtyRequest>;

type PtyInput = Extract<PtyRequest, { type: "pty:input" }>;

/** Whether it is valid input. Checked by hand: the schema costs a third of the time per key. */
export function isPtyInput(value: unknown): value is PtyInput {
  if (typeof value !== "object" || value === null) return false;
  if (!("type" in value && "id" in value && "data" in value)) return false;
  const { type, id, data } = value;
  if (type !== "pty:input" || typeof id !== "string" || typeof data !== "string") return false;
  return id.length <= MAX_ID_CHARS && data.length <= MAX_INPUT_CHARS;
}

/** pairpty's: requests a `Pong` with the same `n`. Without an answer, the client's latency is unknown. */
export interface Ping {
  type: "pairpty:ping";
  n: number;
}

export const Pong = z.object({ type: z.literal("pairpty:pong"), n: z.int() });
export type Pong = z.infer<typeof Pong>;

/**
 * Answer to an attach. With `history`, the client starts from a clean screen: it holds the bytes
 * from `offset` to `next`. Without, the resume was exact and output continues from `offset`, which
 * equals `next`.
 */
export interface PtyAttached {
  type: "pty:attached";
  id: string;
  history?: string;
  epoch: number;
  offset: number;
  next: number;
  cols: number;
  rows: number;
  /** Raw rendition only: the channel number in this terminal's output frames. */
  channel?: number;
  /**
   * Raw rendition only, instead of `history`: text to write to a clean terminal of `cols` × `rows`.
   * It replaces everything before `offset`, which equals `next`, with the modes at that point. Live
   * output may begin before `offset`: the client drops that part.
   */
  snapshot?: string;
}

/** Text of the bytes from `offset` to `next`; never cut inside a character. */
export interface PtyOutput {
  type: "pty:output";
  id: string;
  data: string;
  offset: number;
  next: number;
}

/** The last message about a terminal, after its last output. */
export interface PtyExit extends Exit {
  type: "pty:exit";
  id: string;
}

export interface PtyError {
  type: "pty:error";
  /** Absent if the message had no readable id. */
  id?: string;
  error: string;
  code: ErrorCode;
}

/** pairpty's: the new size of the terminal for all viewers. */
export interface PtyResized {
  type: "pty:resized";
  id: string;
  cols: number;
  rows: number;
}

/**
 * pairpty's: the driver of a terminal: its typing decides the size, and its rendering paces the
 * program.
 */
export interface PtyDriver {
  type: "pty:driver";
  id: string;
  /** The driver's number in the room (`you` of its own `pty:terminals`); null without a driver. */
  driver: number | null;
  /** Label or role of the driver's link. */
  label?: string;
  /** The driver's chosen name, if any. */
  name?: string;
  /** Number of viewers, including the driver. */
  viewers: number;
  /** The basis of the size: one person's window, a fit for those who type in turn, or a pin. */
  size?: {
    of: "one" | "turns" | "pinned";
    people?: { peer: number; called: string }[];
  };
}

/** pairpty's: the program's current title; "" without one. */
export interface PtyTitled {
  type: "pty:titled";
  id: string;
  title: string;
}

/**
 * pairpty's: foreground program and working directory; of all terminals on joining, then of those
 * that changed.
 */
export interface PtyRunning {
  type: "pty:running";
  running: Running[];
}

export interface Running {
  id: string;
  /** "" for the terminal's first program, such as a shell at its prompt. */
  program: string;
  cwd: string;
}

/**
 * pairpty's, to the person who stepped in: the program that reads their input, now and when it
 * changes.
 */
export interface PtyForeground {
  type: "pty:foreground";
  id: string;
  /** The program's file, with symbolic links resolved; null if it belongs to another user, such as sudo. */
  program: string | null;
  /** The program's command line. */
  command: string[];
  /** The agent that started the terminal. */
  startedBy?: string;
}

/** pairpty's: a recording started or stopped. */
export interface PtyRecording {
  type: "pty:recording";
  id: string;
  on: boolean;
  /** The person who started or stopped it; absent if it ended on its own. */
  by?: string;
  /** Why it ended on its own, as a clause for people; absent if its terminal ended. */
  why?: string;
}

/** pairpty's, to the driver only: a peer requests to drive. */
export interface PtyAsked {
  type: "pty:asked";
  id: string;
  peer: number;
  label: string;
  /** The peer's chosen name, if any. */
  name?: string;
}

/**
 * pairpty's: sent when a client joins and when the bridge comes back. Replaces the previous list;
 * terminals that do not fit follow as `created` events.
 */
export interface PtyTerminals {
  type: "pty:terminals";
  terminals: Terminal[];
  /** The role of this socket's token. */
  role: Role;
  /** This socket's number in the room, as other peers see it. */
  you?: number;
}

/** pairpty's, from the room: whether the bridge is connected. */
export interface BridgeState {
  type: "bridge";
  state: "here" | "away";
  /** Unix ms; with "away", when known. */
  since?: number;
  /**
   * With "away", if known. ended: stopped on purpose, its terminals are gone. left: its window was
   * closed; crashed: it died; in both cases its terminals wait. silent: connected but not
   * responding, such as a sleeping machine. offline: unknown reason.
   */
  how?: "ended" | "left" | "crashed" | "silent" | "offline";
  /** With "ended": window (Ctrl-C), stop (the command), signal, or idle (a timeout). */
  by?: string;
  /** Unix ms: how long its terminals wait for it to come back. */
  until?: number;
}

export type PtyServerMessage =
  | PtyAttached
  | PtyOutput
  | PtyExit
  | PtyError
  | PtyResized
  | PtyDriver
  | PtyAsked
  | PtyForeground
  | PtyTitled
  | PtyRecording
  | PtyRunning
  | PtyTerminals
  | BridgeState
  | Ping
  | TerminalEvent;

/** Body of `POST /w/:workspace/pty/spawn`. No command means the user's shell. */
export const SpawnBody = z.strictObject({
  cwd: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  command: z.optional(
    z.array(z.string().check(z.maxLength(32_768))).check(z.minLength(1), z.maxLength(1000)),
  ),
  cols: z.optional(Columns),
  rows: z.optional(Rows),
  /** Hidden from agents and view links. */
  private: z.optional(z.boolean()),
  env: z.optional(
    z.record(
      z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.maxLength(256)),
      z.string().check(z.maxLength(32_768)),
    ),
  ),
});
export type SpawnBody = z.infer<typeof SpawnBody>;
