// Owns the pty dialect: seed 000's messages, their limits, and our optional fields beside them.
// A client that knows only the seed's fields works; what it does not know it may ignore.

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
  /** Start receiving. With the epoch and offset of an earlier attach: exactly what is missing. */
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
    /** Optional: a person let a program read the clipboard. All other replies are the bridge's. */
    reply: z.optional(z.literal("clipboard")),
  }),
  z.object({ type: z.literal("pty:resize"), id: Id, cols: Columns, rows: Rows }),
  /** Ours: end a user's terminal and everything in it. */
  z.object({ type: z.literal("pty:close"), id: Id }),
  /** Ours: everything before `offset` has been rendered. */
  z.object({ type: z.literal("pty:ack"), id: Id, offset: Offset }),
  /** Ours: the size this viewer has room for, and whether anybody can see it. */
  z.object({
    type: z.literal("pty:view"),
    id: Id,
    cols: Columns,
    rows: Rows,
    visible: z.boolean(),
  }),
  /** Ours: from now on this viewer drives, as if it had typed. */
  z.object({ type: z.literal("pty:drive"), id: Id }),
  /** Ours: ask whoever drives to hand over. */
  z.object({ type: z.literal("pty:ask"), id: Id }),
  /** Ours: whether agents and view links know of a user's terminal. */
  z.object({ type: z.literal("pty:private"), id: Id, on: z.boolean() }),
  /** Ours: let agents type into a user's terminal: those of these grants, or all that may type. */
  z.object({
    type: z.literal("pty:agents-type"),
    id: Id,
    on: z.boolean(),
    grants: z.optional(z.array(GrantId).check(z.maxLength(64))),
  }),
  /** Ours: its size stays so, whoever types: the one that it has where none is given. */
  z.object({
    type: z.literal("pty:pin"),
    id: Id,
    on: z.boolean(),
    cols: z.optional(Columns),
    rows: z.optional(Rows),
  }),
  /** Ours: record it from now on, or stop; everybody who sees it is told. */
  z.object({ type: z.literal("pty:record"), id: Id, on: z.boolean() }),
  /** Ours: type into an agent's terminal, with its agent kept from typing and from reading on. */
  z.object({ type: z.literal("pty:step-in"), id: Id }),
  /** Ours: it is the agent's again; `hide`: what was printed meanwhile stays hidden from agents. */
  z.object({ type: z.literal("pty:hand-back"), id: Id, hide: z.optional(z.boolean()) }),
  /** Ours: what a terminal is called from now on, for everybody; "" gives it back its own name. */
  z.object({ type: z.literal("pty:rename"), id: Id, name: z.string().check(z.maxLength(200)) }),
  /** Ours: an agent's terminal is the user's from now on, as if its agent had promoted it. */
  z.object({ type: z.literal("pty:promote"), id: Id }),
  /** Ours: hand over to a peer, usually one that asked. */
  z.object({ type: z.literal("pty:give"), id: Id, peer: z.int().check(z.nonnegative()) }),
]);
export type PtyRequest = z.infer<typeof PtyRequest>;

type PtyInput = Extract<PtyRequest, { type: "pty:input" }>;

/** What comes with every key, told without the schema: that is a third of the bridge's work on it. */
export function isInput(value: unknown): value is PtyInput {
  if (typeof value !== "object" || value === null) return false;
  if (!("type" in value && "id" in value && "data" in value)) return false;
  const { type, id, data } = value;
  if (type !== "pty:input" || typeof id !== "string" || typeof data !== "string") return false;
  return id.length <= MAX_ID_CHARS && data.length <= MAX_INPUT_CHARS;
}

/** Ours: answer with `Pong` and the same `n`. A client that does not is one of unknown latency. */
export interface Ping {
  type: "pairpty:ping";
  n: number;
}

export const Pong = z.object({ type: z.literal("pairpty:pong"), n: z.int() });
export type Pong = z.infer<typeof Pong>;

/**
 * Attached. With `history`, start from a clean screen: it holds the bytes from `offset` to `next`.
 * Without, the resume was exact and output goes on from `offset`, which equals `next`.
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
  /** Raw rendition only: the number that this terminal's output frames carry from here on. */
  channel?: number;
  /**
   * Raw rendition only, in the place of `history`: write it to a clean terminal of `cols` × `rows`.
   * It stands for everything before `offset`, which equals `next`, with the modes of that moment.
   * Live output may begin before `offset`: what lies before it is dropped.
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

/** The last message about a terminal, behind its last output. */
export interface PtyExit extends Exit {
  type: "pty:exit";
  id: string;
}

export interface PtyError {
  type: "pty:error";
  /** Absent when the message named none that could be read. */
  id?: string;
  error: string;
  code: ErrorCode;
}

/** Ours: the size that everybody's output is now laid out for. */
export interface PtyResized {
  type: "pty:resized";
  id: string;
  cols: number;
  rows: number;
}

/** Ours: who drives a terminal: whose typing counts for its size, and whose rendering paces it. */
export interface PtyDriver {
  type: "pty:driver";
  id: string;
  /** The driver's number in the room (`you` of its own `pty:terminals`); null when nobody drives. */
  driver: number | null;
  /** Who that is, by the label or role of its link. */
  label?: string;
  /** What the driver calls itself, if it chose a name. */
  name?: string;
  /** How many look at this terminal, the driver among them. */
  viewers: number;
  /** Whose size it has: one person's, what fits those who type in turn, or it is pinned. */
  size?: {
    of: "one" | "turns" | "pinned";
    people?: { peer: number; called: string }[];
  };
}

/** Ours: what the program in a terminal calls itself now; "" when nothing. */
export interface PtyTitled {
  type: "pty:titled";
  id: string;
  title: string;
}

/**
 * Ours: which program stands in front of a terminal, and where it works; of all on joining, then of
 * those where it changed.
 */
export interface PtyRunning {
  type: "pty:running";
  running: Running[];
}

export interface Running {
  id: string;
  /** "" for the terminal's first program itself, such as a shell at its prompt. */
  program: string;
  cwd: string;
}

/** Ours, to whoever has stepped in: which program reads what they type, now and when it changes. */
export interface PtyForeground {
  type: "pty:foreground";
  id: string;
  /** Its file, behind every link; null where only another user may know, as of sudo. */
  program: string | null;
  /** As it was called. */
  command: string[];
  /** The agent that started the terminal. */
  startedBy?: string;
}

/** Ours: a terminal is being recorded from now on, or no longer. */
export interface PtyRecording {
  type: "pty:recording";
  id: string;
  on: boolean;
  /** Who began or stopped it; absent where it ended by itself. */
  by?: string;
  /** Why it ended by itself, in a sentence's part; absent where its terminal ended. */
  why?: string;
}

/** Ours, to the driver alone: somebody would like to drive. */
export interface PtyAsked {
  type: "pty:asked";
  id: string;
  peer: number;
  label: string;
  /** What they call themselves, if they chose a name. */
  name?: string;
}

/**
 * Ours: sent when a client joins and when the bridge comes back. The list of before is void; what a
 * very long one leaves out follows as `created` events.
 */
export interface PtyTerminals {
  type: "pty:terminals";
  terminals: Terminal[];
  /** What the token that this socket came with may do. */
  role: Role;
  /** This socket's number in the room, as others are told it. */
  you?: number;
}

/** Ours, from the room itself: whether the bridge is connected. */
export interface BridgeState {
  type: "bridge";
  state: "here" | "away";
  /** Unix ms; with "away", when known. */
  since?: number;
  /**
   * With "away", when known. ended: on purpose, and its terminals are gone. left: its window was
   * closed; crashed: it died; both leave terminals, which wait. silent: it is connected and does not
   * answer, as a machine that is asleep. offline: nobody knows why.
   */
  how?: "ended" | "left" | "crashed" | "silent" | "offline";
  /** With "ended": window (Ctrl-C), stop (the verb), signal, or idle (by itself). */
  by?: string;
  /** With "ended": how many terminals went with it. With "left": how many wait, where the bridge said so. */
  terminals?: number;
  /** Unix ms: its terminals wait so long for it to come back. */
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

/** `POST /w/:workspace/pty/spawn`. No command means the user's shell. */
export const SpawnRequest = z.strictObject({
  cwd: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  command: z.optional(
    z.array(z.string().check(z.maxLength(32_768))).check(z.minLength(1), z.maxLength(1000)),
  ),
  cols: z.optional(Columns),
  rows: z.optional(Rows),
  /** No agent and no view link knows of it. */
  private: z.optional(z.boolean()),
  env: z.optional(
    z.record(
      z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.maxLength(256)),
      z.string().check(z.maxLength(32_768)),
    ),
  ),
});
export type SpawnRequest = z.infer<typeof SpawnRequest>;
