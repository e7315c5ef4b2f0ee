// Owns what the bridge knows of one terminal. Its bytes are the pty host's.

import * as z from "zod/mini";
import { GrantId } from "../../protocol/grant.ts";
import type { Query } from "../../protocol/host.ts";
import { Isolation } from "../../protocol/isolation.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { plainTitle } from "../../protocol/title.ts";
import { parseValue } from "../../protocol/json.ts";
import { PanelPlace } from "../panels/scope.ts";
import type { HostTerminal } from "./host-client.ts";
import type { Lane, Lifetime, SpawnPlan } from "./plan.ts";
import { LANES, LIFETIMES } from "./plan.ts";

/** Kept by the host as `meta`, so that the next bridge knows it too. */
const Meta = z.object({
  cwd: z.string(),
  owner: z.enum(["user", "agent"]),
  visible: z.boolean(),
  createdAt: z.int(),
  /** Given by the pool once it runs. */
  number: z.optional(z.int()),
  /** Given by a person. */
  name: z.optional(z.string()),
  command: z.optional(z.array(z.string())),
  /** Who spawned it, if an agent did; kept for life, promoted or not. */
  startedBy: z.optional(z.object({ grant: GrantId, label: z.string() })),
  /** A person was asked about an agent's start, and allowed it. */
  approved: z.optional(z.boolean()),
  /** Bridges of before do not say these three. */
  lane: z.optional(z.enum(LANES)),
  lifetime: z.optional(z.enum(LIFETIMES)),
  isolation: z.optional(Isolation),
  /** Of level "container": the container's name. */
  container: z.optional(z.string()),
  /** It stays readable after its end until it is forgotten. */
  untilForgotten: z.optional(z.boolean()),
  /** Of a panel's terminal. */
  panel: z.optional(PanelPlace),
  /** No agent and no view link sees it. */
  private: z.optional(z.boolean()),
  /** Which agents a person lets type, and who: a peer's number, or null for the host itself. */
  agentsType: z.optional(
    z.object({
      grants: z.array(z.object({ grant: GrantId, label: z.string() })),
      by: z.string(),
      peer: z.nullable(z.int()),
    }),
  ),
  /** A person has stepped in: agents read nothing from there on, and type nothing. */
  steppedIn: z.optional(
    z.object({ since: z.int(), grant: z.string(), label: z.string(), peer: z.int() }),
  ),
  /** What people hid of it from agents, for its life. */
  hidden: z.optional(z.array(z.object({ from: z.int(), to: z.int() }))),
  /** Of an agent's session: its number, how far it was read, and whether its end was told. */
  session: z.optional(
    z.object({ number: z.int(), position: z.int(), isTold: z.optional(z.boolean()) }),
  ),
  /** Of a coding agent's terminal: its conversation, what the agent gets of it, and that it let go. */
  conversation: z.optional(
    z.object({ id: z.string(), limit: z.int(), isReleased: z.optional(z.boolean()) }),
  ),
  /** The size that somebody said it keeps. */
  pinned: z.optional(z.object({ cols: z.int(), rows: z.int() })),
  /** It is being recorded: to which file, since when, and who began. */
  recording: z.optional(
    z.object({
      path: z.string(),
      by: z.string(),
      since: z.int(),
      /** Which file was at the path; without it, the next bridge does not go on. */
      file: z.optional(z.string()),
    }),
  ),
  /** It shows people what an agent's commands print; agents do not see it. */
  feed: z.optional(z.boolean()),
});
export type Meta = z.infer<typeof Meta>;

/** Of a bridge that kept something else: whose it is is unknown, so it is nobody's but the user's. */
const UNREADABLE: Meta = { cwd: "/", owner: "user", visible: true, createdAt: 0, private: true };

export type Life =
  | { readonly state: "running" }
  /** A person asked for its end; it may still print. */
  | { readonly state: "closing" }
  | { readonly state: "finished"; readonly exit: Exit; readonly end: number; readonly at: number };

export interface PoolTerminal {
  readonly id: string;
  readonly handle: number;
  readonly epoch: number;
  readonly pid: number;
  meta: Meta;
  /** What its program calls itself, cleaned; "" when nothing. */
  title: string;
  cols: number;
  rows: number;
  life: Life;
  /** Resolves when the process has ended and its last byte was read. */
  readonly finished: Promise<void>;
  readonly finish: () => void;
  /** Why somebody ended it, or time did; undefined for one that ends by itself. */
  closedBecause?: string;
  /** Who did, as people call them. */
  closedBy?: string;
  /** `closed` has been told. */
  announced: boolean;
  /** Where its output ended when last heard of. */
  end: number;
  /** What its program asked and nobody has answered, oldest first. */
  queries: readonly Query[];
  /**
   * How many inputs it got, from anybody, answers to its program's queries among them. 0 only for a
   * terminal that this bridge started: what an earlier bridge typed is not known.
   */
  inputs: number;
  /** How many of them answered its program's queries. */
  answers: number;
}

/**
 * Whether people count it where they are told how many run, wait or ended. What shows the output of an
 * agent's commands is nobody's work.
 */
export function isCounted({ feed }: Pick<Meta, "feed">): boolean {
  return feed !== true;
}

/** Those of a host that run, as people count them. */
export function countedIn(found: readonly HostTerminal[]): readonly PoolTerminal[] {
  return found
    .map((state) => fromHost(state, 0))
    .filter(({ life, meta }) => life.state !== "finished" && isCounted(meta));
}

/** `isNew` for a terminal that was started just now. */
export function fromHost(state: HostTerminal, now: number, isNew = false): PoolTerminal {
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
    meta: meta.ok ? meta.value : UNREADABLE,
    title: plainTitle(state.title ?? ""),
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

export function metaOf(plan: SpawnPlan, now: number): Meta {
  const { cwd, command, lane, lifetime, isolation, container, startedBy, retain } = plan;
  const { session, isFeed, isPrivate, conversation, basis } = plan;
  const isUsers = lane === "user";
  return {
    cwd,
    owner: isUsers ? "user" : "agent",
    visible: isUsers,
    createdAt: now,
    ...(command === undefined ? {} : { command: briefly(command) }),
    ...(startedBy === undefined ? {} : { startedBy }),
    ...(basis === "approved" ? { approved: true } : {}),
    lane,
    lifetime,
    isolation,
    ...(container === undefined ? {} : { container }),
    ...(retain?.untilForgotten === true ? { untilForgotten: true } : {}),
    ...(isPrivate === true ? { private: true } : {}),
    ...(session === undefined ? {} : { session: { number: session, position: 0 } }),
    ...(isFeed === true ? { feed: true } : {}),
    ...(conversation === undefined ? {} : { conversation }),
  };
}

/** Whether an agent asked for it: for itself, or to show people its commands. */
export function isStartedByAgent(meta: Meta): boolean {
  return laneOf(meta) !== "user";
}

export function laneOf({ lane, startedBy }: Meta): Lane {
  return lane ?? (startedBy === undefined ? "user" : "background");
}

export function lifetimeOf({ lifetime, owner }: Meta): Lifetime {
  return lifetime ?? (owner === "user" ? "user" : "background");
}

/** Enough to recognise a command by; the whole of it is the process's. */
const TOLD_CHARS = 2_000;

/** A command as it is told and kept: whole unless it is very long. */
export function briefly(command: readonly string[]): string[] {
  const told: string[] = [];
  let left = TOLD_CHARS;
  for (const word of command) {
    if (left <= 0) return [...told, "…"];
    told.push(word.length <= left ? word : `${word.slice(0, left)}…`);
    left -= word.length + 1;
  }
  return told;
}

/** What the world is told. */
export function describe(terminal: PoolTerminal): Terminal {
  const { id, epoch, cols, rows, meta, title } = terminal;
  const { cwd, owner, visible, createdAt, number, command, startedBy, isolation } = meta;
  return {
    id,
    cwd,
    owner,
    visible,
    createdAt,
    ...(command === undefined ? {} : { command }),
    ...(startedBy === undefined ? {} : { startedBy: startedBy.label || startedBy.grant }),
    ...(number === undefined ? {} : { number }),
    ...(meta.name === undefined ? {} : { name: meta.name }),
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
