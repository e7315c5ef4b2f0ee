// Owns what is decided about a terminal before it starts: the wish that the pool takes, and the
// plan it makes of it. Looks at files; starts nothing.

import type { Retain } from "../../protocol/host.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { withinCells } from "../../protocol/terminal.ts";
import { childEnvironment } from "./environment.ts";
import { findFolder, findProgram } from "./lookup.ts";

/** A spawn travels to the pty host in one frame, with its meta and its mark. */
const MAX_SPAWN_BYTES = MAX_FRAME_PAYLOAD - 24 * KiB;
/** What a wall may add to that. */
const MAX_WALL_BYTES = 16 * KiB;

/** Of a plan behind its wall; undefined where it fits. */
export function whyTooLong({ argv, env }: Pick<SpawnPlan, "argv" | "env">): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify([argv, env]));
  const most = MAX_SPAWN_BYTES + MAX_WALL_BYTES;
  if (bytes <= most) return undefined;
  return `Behind its wall, arguments and environment have ${bytes} bytes; ${most} is the most. Name fewer folders in sandbox.readable and PATH`;
}

/** Not by PATH: what reads a line is no matter of variables. */
const SH = "/bin/sh";

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

/** Which limits a terminal counts for. People's have none but the pool's own. */
export const LANES = ["user", "background", "session", "command", "acp"] as const;
export type Lane = (typeof LANES)[number];
export type AgentLane = Exclude<Lane, "user">;

/**
 * user: until somebody ends it. background: also after a time without activity. held: until it is
 * stopped or its agent is gone.
 */
export const LIFETIMES = ["user", "background", "held"] as const;
export type Lifetime = (typeof LIFETIMES)[number];

export interface StartedBy {
  /** The agent's grant. */
  readonly grant: string;
  readonly label: string;
}

export interface SpawnWish {
  /** Undefined for the user's shell, and for a line. */
  readonly command?: readonly string[] | undefined;
  /** For `sh -c` to read, instead of a command. */
  readonly line?: string | undefined;
  readonly cwd?: string | undefined;
  /** Variables that the request adds. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly lane: Lane;
  readonly lifetime: Lifetime;
  readonly retain?: Retain | undefined;
  readonly isolation?: Isolation | undefined;
  /** Of a command by pipes. */
  readonly input?: Input | undefined;
  readonly startedBy?: StartedBy | undefined;
  /** Of a user's: no agent and no view link knows of it. */
  readonly isPrivate?: boolean | undefined;
  readonly conversation?: ConversationPlace | undefined;
  /** Instead of the bridge's own environment. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** Where a coding agent's terminal belongs. */
export interface ConversationPlace {
  readonly id: string;
  /** How many bytes of its output the agent gets, the last ones. */
  readonly limit: number;
}

/** What a command reads on its standard input; without it, nothing. */
export interface Input {
  readonly text: string;
  /** More may follow: it does not read the end behind the text. */
  readonly staysOpen: boolean;
}

/** What can be judged before the program was looked for. */
export interface Draft {
  /** As it was asked for; undefined for the user's shell. */
  readonly command: readonly string[] | undefined;
  /** The shell's text, where a line was asked for: `command` is the shell then. */
  readonly line?: string | undefined;
  readonly input?: Input | undefined;
  readonly cwd: string;
  /** The variables that the request added. */
  readonly added: Readonly<Record<string, string>>;
}

export interface SpawnPlan extends Draft {
  /** What runs: the program's full path (in a container its name), and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Everything that the child gets but its mark. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly lane: Lane;
  readonly lifetime: Lifetime;
  readonly retain: Retain | undefined;
  readonly isolation: Isolation;
  /** The name of the container that it runs in, once it stands behind that wall. */
  readonly container?: string;
  /** What its wall guards, by path. */
  readonly guarded?: readonly string[];
  readonly startedBy: StartedBy | undefined;
  readonly isPrivate?: boolean | undefined;
  readonly conversation?: ConversationPlace | undefined;
  /**
   * Why an agent's plan runs: a person approved it, or the policy calls it safe. Absent where a rule,
   * a lane or a sandbox let it run.
   */
  readonly basis?: "approved" | "safe";
  /** The number of an agent's session, given as it starts. */
  readonly session?: number;
  /** It is no agent's: it shows people what an agent's commands print. */
  readonly isFeed?: boolean;
}

export type Planned =
  | { readonly ok: true; readonly plan: SpawnPlan }
  | {
      readonly ok: false;
      readonly error: string;
      /** Absent when there is no such folder. */
      readonly draft?: Draft;
    };

/** What a plan starts from when the wish does not say. */
export interface SpawnDefaults {
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function planSpawn(wish: SpawnWish, defaults: SpawnDefaults): Planned {
  const cwd = findFolder(wish.cwd ?? ".", defaults.folder);
  if (!cwd.ok) return cwd;
  const added = wish.env ?? {};
  const env = childEnvironment(wish.environment ?? defaults.environment, {
    PWD: cwd.path,
    ...added,
  });
  const { lane, lifetime, retain, startedBy, line, input, isPrivate, conversation } = wish;
  const { isolation = "none" } = wish;
  const command = line === undefined ? wish.command : [SH, "-c", line];
  // A container has programs of its own: which there are is found out inside.
  const isInside = isolation === "container";
  const [name = isInside ? SH : defaults.shell, ...args] = command ?? [];
  const draft = { command, line, input, cwd: cwd.path, added };
  const program =
    isInside && name !== ""
      ? ({ ok: true, path: name } as const)
      : findProgram(name, cwd.path, env["PATH"] ?? "");
  if (!program.ok) return { ...program, draft };
  const bytes = Buffer.byteLength(JSON.stringify([args, env]));
  if (bytes > MAX_SPAWN_BYTES) {
    const error = `Arguments and environment have ${bytes} bytes; ${MAX_SPAWN_BYTES} is the most`;
    return { ok: false, error, draft };
  }
  const plan: SpawnPlan = {
    ...draft,
    argv: [program.path, ...args],
    env,
    size: withinCells({ cols: wish.cols ?? DEFAULT_COLS, rows: wish.rows ?? DEFAULT_ROWS }),
    lane,
    lifetime,
    retain,
    isolation,
    startedBy,
    isPrivate,
    conversation,
  };
  return { ok: true, plan };
}
