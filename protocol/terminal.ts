// Owns what the world is told about a terminal.

import * as z from "zod/mini";
import { Isolation } from "./isolation.ts";
import { MAX_CELLS, MAX_COLUMNS, MAX_ROWS } from "./limits.ts";

export const TerminalId = z.string().check(z.regex(/^pty-[0-9a-z]{6,32}$/));

export const Columns = z.int().check(z.gte(1), z.lte(MAX_COLUMNS));
export const Rows = z.int().check(z.gte(1), z.lte(MAX_ROWS));

/** Beyond what a terminal may have, fewer rows. */
export function withinCells<T extends { readonly cols: number; readonly rows: number }>(
  size: T,
): T {
  const most = Math.floor(MAX_CELLS / size.cols);
  return size.rows <= most ? size : { ...size, rows: most };
}

/**
 * How a process ended. The seed has a number alone; a process that a signal ended has none, and
 * inventing one would be a lie, so `exitCode` is null there and `signal` has its name.
 */
export const Exit = z.object({
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
});
export type Exit = z.infer<typeof Exit>;

/** The seed's session metadata, then our optional fields. */
export const Terminal = z.object({
  id: TerminalId,
  cwd: z.string(),
  owner: z.enum(["user", "agent"]),
  visible: z.boolean(),
  createdAt: z.int(),
  command: z.optional(z.array(z.string())),
  /** The agent that spawned it, by its label; stays when the terminal is promoted. */
  startedBy: z.optional(z.string()),
  /** What people call it by: the lowest that no other open terminal has. Kept for its life. */
  number: z.optional(z.int()),
  /** What a person called it, for everybody; stands before its title. */
  name: z.optional(z.string()),
  /** What its program calls itself, as `plainTitle` leaves it. */
  title: z.optional(z.string()),
  /** The wall that it stands behind for life; absent where there is none. */
  isolation: z.optional(Isolation),
  /** No agent and no view link knows of it. */
  private: z.optional(z.boolean()),
  /** Agents that may type into it, for as long as the person who let them is here. */
  agentsType: z.optional(z.array(z.object({ grant: z.string(), label: z.string() }))),
  /** The person who types into an agent's terminal now: by label, and by number in the room. */
  steppedIn: z.optional(z.object({ label: z.string(), peer: z.int() })),
  /** It shows what an agent's commands print, and nothing in it reads. */
  feed: z.optional(z.boolean()),
  /** The conversation whose tool calls show it (lane `acp`): no tab, unless somebody opens one. */
  conversation: z.optional(z.string()),
  /** Its size stays so, whoever types. */
  pinned: z.optional(z.boolean()),
  /** It is being recorded: by whom, and since when (Unix ms). */
  recording: z.optional(z.object({ by: z.string(), since: z.int() })),
  epoch: z.optional(z.int()),
  cols: z.optional(Columns),
  rows: z.optional(Rows),
});
export type Terminal = z.infer<typeof Terminal>;

export const TerminalEvent = z.object({
  type: z.literal("terminal"),
  /**
   * changed: something of what is told of it is different now. closed, without `exit` and with an empty
   * `cwd`: whoever is told may not see it any more, whether or not it runs.
   */
  event: z.enum(["created", "promoted", "changed", "closed", "output"]),
  terminal: Terminal,
  /** Only with "output". */
  output: z.optional(z.string()),
  /** Only with "closed", once it is known. */
  exit: z.optional(Exit),
  /** Only with "closed": somebody closed it, so however it ended is no failure. */
  onPurpose: z.optional(z.boolean()),
  /** With `onPurpose`: a person did, by this name. */
  by: z.optional(z.string()),
});
export type TerminalEvent = z.infer<typeof TerminalEvent>;
