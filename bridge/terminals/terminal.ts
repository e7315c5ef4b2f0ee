// Owns the bridge's record of one terminal. The pty host has its bytes.

import * as z from "zod/mini";
import { compact } from "../../protocol/compact.ts";
import { GrantId } from "../../protocol/grant.ts";
import type { Query } from "../../protocol/host.ts";
import { Isolation } from "../../protocol/isolation.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { cleanTitle, grantName } from "../../protocol/names.ts";
import { parseValue } from "../../protocol/json.ts";
import { PanelAddress } from "../panels/panel-targets.ts";
import type { HostTerminal } from "./host-reports.ts";
import type { Lane, Lifetime, SpawnPlan } from "./spawn-plan.ts";
import { LANES, LIFETIMES } from "./spawn-plan.ts";

/** Stored by the host as `meta`, for the next bridge. */
const Meta = z.object({
  cwd: z.string(),
  owner: z.enum(["user", "agent"]),
  visible: z.boolean(),
  createdAt: z.int(),
  /** Assigned by the pool after the start. */
  number: z.optional(z.int()),
  /** Name given by a person. */
  name: z.optional(z.string()),
  command: z.optional(z.array(z.string())),
  /** The agent that spawned it, if any; stays after a promotion. */
  startedBy: z.optional(z.object({ grant: GrantId, label: z.string() })),
  /** A person approved the agent's start. */
  approved: z.optional(z.boolean()),
  /** Absent in metadata written by older bridges. */
  lane: z.optional(z.enum(LANES)),
  lifetime: z.optional(z.enum(LIFETIMES)),
  isolation: z.optional(Isolation),
  /** For level "container": the container's name. */
  container: z.optional(z.string()),
  /** Stays readable after its exit until the bridge drops it. */
  untilForgotten: z.optional(z.boolean()),
  /** Set for a panel's terminal. */
  panel: z.optional(PanelAddress),
  /** Hidden from agents and view links. */
  private: z.optional(z.boolean()),
  /**
   * Agents that a person allows to type, and that person: a peer's number, or null for the host.
   */
  agentsType: z.optional(
    z.object({
      grants: z.array(z.object({ grant: GrantId, label: z.string() })),
      by: z.string(),
      peer: z.nullable(z.int()),
    }),
  ),
  /** A person has stepped in: agents cannot read from this offset on, and cannot type. */
  steppedIn: z.optional(
    z.object({ since: z.int(), grant: z.string(), label: z.string(), peer: z.int() }),
  ),
  /** Ranges that people hid from agents. */
  hidden: z.optional(z.array(z.object({ from: z.int(), to: z.int() }))),
  /**
   * For an agent's session: its number, the position read so far, and whether its exit was
   * reported.
   */
  session: z.optional(
    z.object({ number: z.int(), position: z.int(), isTold: z.optional(z.boolean()) }),
  ),
  /**
   * For a coding agent's terminal: its conversation, the agent's output limit, and whether it was
   * released.
   */
  conversation: z.optional(
    z.object({ id: z.string(), limit: z.int(), isReleased: z.optional(z.boolean()) }),
  ),
  /** The size that a person pinned. */
  pinned: z.optional(z.object({ cols: z.int(), rows: z.int() })),
  /** The running recording: its file, its start, and who started it. */
  recording: z.optional(
    z.object({
      path: z.string(),
      by: z.string(),
      since: z.int(),
      /**
       * Identity of the file at the path; without it, the next bridge does not continue the
       * recording.
       */
      file: z.optional(z.string()),
    }),
  ),
  /** Mirrors the output of an agent's commands for people; hidden from agents. */
  feed: z.optional(z.boolean()),
});
export type Meta = z.infer<typeof Meta>;

/** Metadata that cannot be read: the owner is unknown, so only the user may see the terminal. */
const UNREADABLE_META: Meta = {
  cwd: "/",
  owner: "user",
  visible: true,
  createdAt: 0,
  private: true,
};

export type TerminalLife =
  | { readonly state: "running" }
  /** A close was requested; it may still print. */
  | { readonly state: "closing" }
  | { readonly state: "finished"; readonly exit: Exit; readonly end: number; readonly at: number };

export interface PoolTerminal {
  readonly id: string;
  readonly handle: number;
  readonly epoch: number;
  readonly pid: number;
  meta: Meta;
  /** The program's title, cleaned; "" without one. */
  title: string;
  cols: number;
  rows: number;
  life: TerminalLife;
  /** Resolves when the process has ended and its last byte was read. */
  readonly finished: Promise<void>;
  readonly finish: () => void;
  /** Why it was closed; undefined if it ended on its own. */
  closeReason?: string;
  /** Display name of the person who closed it. */
  closedBy?: string;
  /** `closed` has been emitted. */
  announced: boolean;
  /** Last reported end of the terminal's output. */
  end: number;
  /** Unanswered queries of its program, oldest first. */
  queries: readonly Query[];
  /**
   * Number of inputs, including answers to queries. 0 only for a terminal that this bridge started:
   * input from an earlier bridge is unknown.
   */
  inputs: number;
  /** How many of the inputs answered queries. */
  answers: number;
}

/** Whether totals shown to people include it; mirrors of agents' commands do not count. */
export function isCounted({ feed }: Pick<Meta, "feed">): boolean {
  return feed !== true;
}

/** Returns the running terminals of a host, as counted for people. */
export function listCountedHostTerminals(found: readonly HostTerminal[]): readonly PoolTerminal[] {
  return found
    .map((state) => toPoolTerminal(state, 0))
    .filter(({ life, meta }) => life.state !== "finished" && isCounted(meta));
}

/** Converts the host's state; `isNew` for a terminal that has just been started. */
export function toPoolTerminal(state: HostTerminal, now: number, isNew = false): PoolTerminal {
  const meta = parseValue(Meta, state.meta);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  if (state.exit !== null) finish();
  return {
    id: state.id,
    handle: state.handle,
    epoch: state.epoch,
    pid: state.pid,
    meta: meta.ok ? meta.value : UNREADABLE_META,
    title: cleanTitle(state.title ?? ""),
    cols: state.cols,
    rows: state.rows,
    life:
      state.exit === null
        ? { state: "running" }
        : { state: "finished", exit: state.exit, end: state.end, at: now },
    finished,
    finish,
    announced: state.exit !== null,
    end: state.end,
    queries: [],
    inputs: isNew ? 0 : 1,
    answers: 0,
  };
}

export function toMeta(plan: SpawnPlan, now: number): Meta {
  const { cwd, command, lane, lifetime, isolation, container, startedBy, retain } = plan;
  const { session, isFeed, isPrivate, conversation, basis } = plan;
  const isUsers = lane === "user";
  return {
    cwd,
    owner: isUsers ? "user" : "agent",
    visible: isUsers,
    createdAt: now,
    ...(command === undefined ? {} : { command: abbreviateCommand(command) }),
    ...compact({ startedBy }),
    ...(basis === "approved" ? { approved: true } : {}),
    lane,
    lifetime,
    isolation,
    ...compact({ container }),
    ...(retain?.untilForgotten === true ? { untilForgotten: true } : {}),
    ...(isPrivate === true ? { private: true } : {}),
    ...(session === undefined ? {} : { session: { number: session, position: 0 } }),
    ...(isFeed === true ? { feed: true } : {}),
    ...compact({ conversation }),
  };
}

/** Whether an agent started it, for itself or as a mirror of its commands. */
export function isStartedByAgent(meta: Meta): boolean {
  return getLane(meta) !== "user";
}

export function getLane({ lane, startedBy }: Meta): Lane {
  return lane ?? (startedBy === undefined ? "user" : "background");
}

export function getLifetime({ lifetime, owner }: Meta): Lifetime {
  return lifetime ?? (owner === "user" ? "user" : "background");
}

/** Enough to recognise a command. */
const MAX_COMMAND_CHARS = 2_000;

/** Returns a command for display and storage, cut if it is very long. */
export function abbreviateCommand(command: readonly string[]): string[] {
  const words: string[] = [];
  let left = MAX_COMMAND_CHARS;
  for (const word of command) {
    if (left <= 0) return [...words, "…"];
    words.push(word.length <= left ? word : `${word.slice(0, left)}…`);
    left -= word.length + 1;
  }
  return words;
}

/** Returns the public description of a terminal. */
export function describeTerminal(terminal: PoolTerminal): Terminal {
  const { id, epoch, cols, rows, meta, title } = terminal;
  const { cwd, owner, visible, createdAt, number, command, startedBy, isolation } = meta;
  return {
    id,
    cwd,
    owner,
    visible,
    createdAt,
    ...compact({ command }),
    ...(startedBy === undefined ? {} : { startedBy: grantName(startedBy) }),
    ...compact({ number, name: meta.name }),
    ...(title === "" ? {} : { title }),
    ...(isolation === undefined || isolation === "none" ? {} : { isolation }),
    ...(meta.private === true ? { private: true } : {}),
    ...(meta.agentsType === undefined ? {} : { agentsType: meta.agentsType.grants }),
    ...(meta.steppedIn === undefined
      ? {}
      : { steppedIn: { label: meta.steppedIn.label, peer: meta.steppedIn.peer } }),
    ...(meta.conversation === undefined ? {} : { conversation: meta.conversation.id }),
    ...(meta.feed === true ? { feed: true } : {}),
    ...(meta.pinned === undefined ? {} : { pinned: true }),
    ...(meta.recording === undefined
      ? {}
      : { recording: { by: meta.recording.by, since: meta.recording.since } }),
    epoch,
    cols,
    rows,
  };
}
