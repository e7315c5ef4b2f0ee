// Owns the messages of the pty dialect to clients, one row each, and pairpty's optional fields,
// which clients may ignore. The bridge makes PTY_EVENTS, the room makes ROOM_EVENTS. Types in bridge
// and page follow from the rows.

import * as z from "zod/mini";
import { ErrorCode } from "./codes.ts";
import { Role } from "./grant.ts";
import { ChannelKey } from "./sealed/messages.ts";
import { Exit, Terminal, TerminalEvent } from "./terminal.ts";

const { exactOptional } = z;
const Id = z.string();
const Offset = z.int();
const Code = z.custom<ErrorCode>(
  (value) => typeof value === "string" && Object.hasOwn(ErrorCode, value),
);

const Running = z.object({
  id: Id,
  /** "" for the terminal's first program, such as a shell at its prompt. */
  program: z.string(),
  cwd: z.string(),
});
export type Running = z.infer<typeof Running>;

export const PTY_EVENTS = [
  /**
   * Answer to an attach. With `history`, the client starts from a clean screen: it holds the bytes
   * from `offset` to `next`. Without, the resume was exact and output continues from `offset`,
   * which equals `next`.
   */
  z.object({
    type: z.literal("pty:attached"),
    id: Id,
    history: exactOptional(z.string()),
    epoch: z.int(),
    offset: Offset,
    next: Offset,
    cols: z.int(),
    rows: z.int(),
    /** Raw rendition only: the channel number in this terminal's output frames. */
    channel: exactOptional(z.int()),
    /**
     * Raw rendition only, instead of `history`: text to write to a clean terminal of `cols` ×
     * `rows`. It replaces everything before `offset`, which equals `next`, with the modes at that
     * point. Live output may begin before `offset`: the client drops that part.
     */
    snapshot: exactOptional(z.string()),
    /** Sealed rooms only: opens the channel's output from here on. Absent for a finished terminal. */
    key: exactOptional(ChannelKey),
  }),
  /** Text of the bytes from `offset` to `next`; never cut inside a character. */
  z.object({
    type: z.literal("pty:output"),
    id: Id,
    data: z.string(),
    offset: Offset,
    next: Offset,
  }),
  /** The last message about a terminal, after its last output. */
  z.extend(Exit, { type: z.literal("pty:exit"), id: Id }),
  z.object({
    type: z.literal("pty:error"),
    /** Absent if the message had no readable id. */
    id: exactOptional(Id),
    error: z.string(),
    code: Code,
  }),
  /** pairpty's: answer to `pty:spawn`, whose `id` it repeats. */
  z.object({ type: z.literal("pty:spawned"), id: Id, terminal: Terminal }),
  /** pairpty's: answer to `pty:close`, to its sender: nothing of the terminal is left. */
  z.object({ type: z.literal("pty:closed"), id: Id }),
  /** pairpty's: the new size of the terminal for all viewers. */
  z.object({ type: z.literal("pty:resized"), id: Id, cols: z.int(), rows: z.int() }),
  /**
   * pairpty's: the driver of a terminal: its typing decides the size, and its rendering paces the
   * program.
   */
  z.object({
    type: z.literal("pty:driver"),
    id: Id,
    /** The driver's number in the room (`you` of its own `pty:terminals`); null without a driver. */
    driver: z.nullable(z.int()),
    /** Label or role of the driver's link. */
    label: exactOptional(z.string()),
    /** The driver's chosen name, if any. */
    name: exactOptional(z.string()),
    /** Number of viewers, including the driver. */
    viewers: z.int(),
    /** The basis of the size: one person's window, a fit for those who type in turn, or a pin. */
    size: exactOptional(
      z.object({
        of: z.enum(["one", "turns", "pinned"]),
        people: exactOptional(z.array(z.object({ peer: z.int(), called: z.string() }))),
      }),
    ),
  }),
  /** pairpty's, to the driver only: a peer requests to drive. */
  z.object({
    type: z.literal("pty:asked"),
    id: Id,
    peer: z.int(),
    label: z.string(),
    /** The peer's chosen name, if any. */
    name: exactOptional(z.string()),
  }),
  /**
   * pairpty's, to the person who stepped in: the program that reads their input, now and when it
   * changes.
   */
  z.object({
    type: z.literal("pty:foreground"),
    id: Id,
    /** Its file, with symbolic links resolved; null if it belongs to another user, such as sudo. */
    program: z.nullable(z.string()),
    /** Its command line. */
    command: z.array(z.string()),
    /** The agent that started the terminal. */
    startedBy: exactOptional(z.string()),
  }),
  /** pairpty's: the program's current title; "" without one. */
  z.object({ type: z.literal("pty:titled"), id: Id, title: z.string() }),
  /** pairpty's: a recording started or stopped. */
  z.object({
    type: z.literal("pty:recording"),
    id: Id,
    on: z.boolean(),
    /** The person who started or stopped it; absent if it ended on its own. */
    by: exactOptional(z.string()),
    /** Why it ended on its own, as a clause for people; absent if its terminal ended. */
    why: exactOptional(z.string()),
  }),
  /**
   * pairpty's: foreground program and working directory; of all terminals on joining, then of those
   * that changed.
   */
  z.object({ type: z.literal("pty:running"), running: z.array(Running) }),
  /**
   * pairpty's: sent when a client joins and when the bridge comes back. Replaces the previous list;
   * terminals that do not fit follow as `created` events.
   */
  z.object({
    type: z.literal("pty:terminals"),
    terminals: z.array(Terminal),
    /** The role of this socket's token. */
    role: Role,
    /** This socket's number in the room, as other peers see it. */
    you: exactOptional(z.int()),
  }),
  TerminalEvent,
];

/** Messages that the room makes itself, outside any dialect. */
export const ROOM_EVENTS = [
  /** pairpty's: whether the bridge is connected. */
  z.object({
    type: z.literal("bridge"),
    state: z.enum(["here", "away"]),
    /** Unix ms; with "away", when known. */
    since: exactOptional(z.int()),
    /**
     * With "away", if known. ended: stopped on purpose, its terminals are gone. left: its window
     * was closed; crashed: it died; in both cases its terminals wait. silent: connected but not
     * responding, such as a sleeping machine. offline: unknown reason.
     */
    how: exactOptional(z.enum(["ended", "left", "crashed", "silent", "offline"])),
    /** With "ended": window (Ctrl-C), stop (the command), signal, or idle (a timeout). */
    by: exactOptional(z.string()),
    /** Unix ms: how long its terminals wait for it to come back. */
    until: exactOptional(z.int()),
  }),
  /**
   * pairpty's: requests a `Pong` with the same `n`. Without an answer, the client's latency is
   * unknown.
   */
  z.object({ type: z.literal("pairpty:ping"), n: z.int() }),
];

export const Pong = z.object({ type: z.literal("pairpty:pong"), n: z.int() });
export type Pong = z.infer<typeof Pong>;

export type PtyEvent = z.infer<(typeof PTY_EVENTS)[number]>;
export type RoomEvent = z.infer<(typeof ROOM_EVENTS)[number]>;

/** Returns the message of one type. */
export type PtyEventOf<Type extends PtyEvent["type"]> = Extract<PtyEvent, { type: Type }>;

export type PtyAttached = PtyEventOf<"pty:attached">;
export type PtyAsked = PtyEventOf<"pty:asked">;
export type PtyRecording = PtyEventOf<"pty:recording">;
export type PtyDriver = PtyEventOf<"pty:driver">;
export type PtyForeground = PtyEventOf<"pty:foreground">;
export type BridgeState = Extract<RoomEvent, { type: "bridge" }>;
export type Ping = Extract<RoomEvent, { type: "pairpty:ping" }>;
