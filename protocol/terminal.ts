// Owns the public description of a terminal and its events.

import * as z from "zod/mini";
import { Isolation } from "./isolation.ts";
import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS } from "./limits.ts";

export const TerminalId = z.string().check(z.regex(/^pty-[0-9a-z]{6,32}$/));

export const Columns = z.int().check(z.gte(1), z.lte(MAX_COLUMNS));
export const Rows = z.int().check(z.gte(1), z.lte(MAX_ROWS));

/** Returns the size with fewer rows if it has more cells than allowed. */
export function limitCells<T extends { readonly cols: number; readonly rows: number }>(size: T): T {
  const most = Math.floor(MAX_CELLS / size.cols);
  return size.rows <= most ? size : { ...size, rows: most };
}

/**
 * How a process ended. A process that a signal ended has no exit code: `exitCode` is then null and
 * `signal` has the name.
 */
export const Exit = z.object({
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
});
export type Exit = z.infer<typeof Exit>;

/** The description of a terminal that clients get; optional fields may be ignored. */
export const Terminal = z.object({
  id: TerminalId,
  cwd: z.string(),
  owner: z.enum(["user", "agent"]),
  visible: z.boolean(),
  createdAt: z.int(),
  command: z.optional(z.array(z.string())),
  /** Label of the agent that spawned it; stays after a promotion. */
  startedBy: z.optional(z.string()),
  /** Number shown to people: the lowest that no other open terminal has. Never changes. */
  number: z.optional(z.int()),
  /** Name given by a person, for all viewers; takes precedence over its title. */
  name: z.optional(z.string()),
  /** The program's title, cleaned by `cleanTitle`. */
  title: z.optional(z.string()),
  /** Isolation level of all its processes; absent without isolation. */
  isolation: z.optional(Isolation),
  /** Hidden from agents and view links. */
  private: z.optional(z.boolean()),
  /** Agents that may type into it, as long as the person who allowed them is connected. */
  agentsType: z.optional(z.array(z.object({ grant: z.string(), label: z.string() }))),
  /** The person who has stepped into an agent's terminal: label, and number in the room. */
  steppedIn: z.optional(z.object({ label: z.string(), peer: z.int() })),
  /** Mirrors the output of an agent's commands; it takes no input. */
  feed: z.optional(z.boolean()),
  /** The conversation whose tool calls show it (lane `acp`): it gets a tab only on request. */
  conversation: z.optional(z.string()),
  /** Pins the size, regardless of who types. */
  pinned: z.optional(z.boolean()),
  /** Set while it is recorded: the person who started it, and the start in Unix ms. */
  recording: z.optional(z.object({ by: z.string(), since: z.int() })),
  epoch: z.optional(z.int()),
  cols: z.optional(Columns),
  rows: z.optional(Rows),
});
export type Terminal = z.infer<typeof Terminal>;

export const TerminalEvent = z.object({
  type: z.literal("terminal"),
  /**
   * changed: a field of the description changed. closed, without `exit` and with an empty `cwd`:
   * the receiver may no longer see the terminal, whether or not it still runs.
   */
  event: z.enum(["created", "promoted", "changed", "closed", "output"]),
  terminal: Terminal,
  /** Present with "output". */
  output: z.optional(z.string()),
  /** Present with "closed", if known. */
  exit: z.optional(Exit),
  /** With "closed": it was closed on request, so its exit is not a failure. */
  onPurpose: z.optional(z.boolean()),
  /** With `onPurpose`: the name of the person who closed it. */
  by: z.optional(z.string()),
});
export type TerminalEvent = z.infer<typeof TerminalEvent>;
