// Owns the plan of a terminal before it starts: the request that the pool takes, and the plan made
// from it. Reads files; starts nothing. Also owns the environment of terminals' processes: the
// user's own, without pairpty's variables and those of npm, plus the variables of a terminal. And
// the removal of what npm and npx add to the environment when they start pairpty: terminals get the
// environment of the user's shell, not of a package script.

import { delimiter, isAbsolute } from "node:path";
import type { Retain } from "../../protocol/host.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import { KiB, MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { limitCells } from "../../protocol/terminal.ts";
import { findFolder, findProgram } from "./program-lookup.ts";

/** A spawn is sent to the pty host in one frame, with its meta and its tag. */
const MAX_SPAWN_BYTES = MAX_FRAME_PAYLOAD - 24 * KiB;
/** Additional room for the arguments of a sandbox. */
const MAX_SANDBOX_BYTES = 16 * KiB;

/** Returns why a sandboxed plan does not fit into a frame; undefined if it fits. */
export function getTooLongReason({
  argv,
  env,
}: Pick<SpawnPlan, "argv" | "env">): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify([argv, env]));
  const limit = MAX_SPAWN_BYTES + MAX_SANDBOX_BYTES;
  if (bytes <= limit) return undefined;
  return `In its sandbox, arguments and environment have ${bytes} bytes; the limit is ${limit}. List fewer folders in sandbox.readable and PATH`;
}

/** A fixed path: variables must not decide which shell reads a line. */
const SH = "/bin/sh";

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

/** Which limits a terminal counts towards. People's terminals have only the pool's own. */
export const LANES = ["user", "background", "session", "command", "acp"] as const;
export type Lane = (typeof LANES)[number];
export type AgentLane = Exclude<Lane, "user">;

/**
 * user: until closed. background: also after a time without activity. held: until it is stopped or
 * its agent is gone.
 */
export const LIFETIMES = ["user", "background", "held"] as const;
export type Lifetime = (typeof LIFETIMES)[number];

export interface StartedBy {
  /** Id of the agent's grant. */
  readonly grant: string;
  readonly label: string;
}

export interface SpawnRequest {
  /** Undefined for the user's shell, and for a line. */
  readonly command?: readonly string[] | undefined;
  /** A line for `sh -c`, instead of a command. */
  readonly line?: string | undefined;
  readonly cwd?: string | undefined;
  /** Variables added by the request. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  readonly lane: Lane;
  readonly lifetime: Lifetime;
  readonly retain?: Retain | undefined;
  readonly isolation?: Isolation | undefined;
  /** For a command with pipes: its standard input. */
  readonly input?: Input | undefined;
  readonly startedBy?: StartedBy | undefined;
  /** For a user's terminal: hidden from agents and view links. */
  readonly isPrivate?: boolean | undefined;
  readonly conversation?: ConversationRef | undefined;
  /** Replaces the bridge's own environment. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/** The conversation of a coding agent's terminal. */
export interface ConversationRef {
  readonly id: string;
  /** How many bytes of its output the agent gets, from the end. */
  readonly limit: number;
}

/** Standard input of a command; absent: empty. */
export interface Input {
  readonly text: string;
  /** More input may follow: the command does not get end-of-file after the text. */
  readonly staysOpen: boolean;
}

/** The part of a plan that the policy can judge before the program is looked up. */
export interface PlanDraft {
  /** As requested; undefined for the user's shell. */
  readonly command: readonly string[] | undefined;
  /** The shell's text if a line was requested; `command` is then the shell. */
  readonly line?: string | undefined;
  readonly input?: Input | undefined;
  readonly cwd: string;
  /** The variables added by the request. */
  readonly added: Readonly<Record<string, string>>;
}

export interface SpawnPlan extends PlanDraft {
  /** The program's full path (in a container its name), and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** The whole environment except the tag. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly lane: Lane;
  readonly lifetime: Lifetime;
  readonly retain: Retain | undefined;
  readonly isolation: Isolation;
  /** Name of its container, once the plan is isolated. */
  readonly container?: string;
  /** Paths of the files that its sandbox guards. */
  readonly guardedPaths?: readonly string[];
  readonly startedBy: StartedBy | undefined;
  readonly isPrivate?: boolean | undefined;
  readonly conversation?: ConversationRef | undefined;
  /**
   * Why an agent's plan runs: a person approved it, or the policy calls it safe. Absent if a rule,
   * a lane or a sandbox allowed it.
   */
  readonly basis?: "approved" | "safe";
  /** Number of an agent's session, assigned at its start. */
  readonly session?: number;
  /** Mirrors the output of an agent's commands for people; it does not belong to the agent. */
  readonly isFeed?: boolean;
}

export type PlanResult =
  | { readonly ok: true; readonly plan: SpawnPlan }
  | {
      readonly ok: false;
      readonly error: string;
      /** Absent if the folder does not exist. */
      readonly draft?: PlanDraft;
    };

/** Defaults for what a request leaves out. */
export interface SpawnDefaults {
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function planSpawn(request: SpawnRequest, defaults: SpawnDefaults): PlanResult {
  const cwd = findFolder(request.cwd ?? ".", defaults.folder);
  if (!cwd.ok) return cwd;
  const added = request.env ?? {};
  const env = buildChildEnvironment(request.environment ?? defaults.environment, {
    PWD: cwd.path,
    ...added,
  });
  const { lane, lifetime, retain, startedBy, line, input, isPrivate, conversation } = request;
  const { isolation = "none" } = request;
  const command = line === undefined ? request.command : [SH, "-c", line];
  // A container has its own programs, so the lookup happens inside.
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
    const error = `Arguments and environment have ${bytes} bytes; the limit is ${MAX_SPAWN_BYTES}`;
    return { ok: false, error, draft };
  }
  const plan: SpawnPlan = {
    ...draft,
    argv: [program.path, ...args],
    env,
    size: limitCells({ cols: request.cols ?? DEFAULT_COLS, rows: request.rows ?? DEFAULT_ROWS }),
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

/** Variables that describe the terminal pairpty was started in, not the new one. */
const STALE: ReadonlySet<string> = new Set([
  "COLUMNS",
  "LINES",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOWID",
  "TERM_PROGRAM_VERSION",
]);

function buildChildEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...removeNpmVariables(base), ...extra })) {
    if (value === undefined || name.startsWith("PAIRPTY_")) continue;
    if (STALE.has(name) && !(name in extra)) continue;
    env[name] = value;
  }
  env["TERM"] = extra["TERM"] ?? "xterm-256color";
  env["COLORTERM"] = extra["COLORTERM"] ?? "truecolor";
  env["TERM_PROGRAM"] = "pairpty";
  return env;
}

/** Each of these shows that npm or a similar program started pairpty. */
const NPM_VARIABLES = [
  "npm_execpath",
  "npm_command",
  "npm_lifecycle_event",
  "npm_config_user_agent",
];

/** Folders that npm puts in front of PATH: `.bin` of every parent folder, and node-gyp. */
const NPM_PATH_FOLDER = /\/(node_modules\/\.bin|node-gyp-bin)\/?$/;

/** Removes npm's variables, which are in lower case; `NPM_CONFIG_…` in capitals is the user's. */
export function removeNpmVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!NPM_VARIABLES.some((name) => environment[name] !== undefined)) return environment;
  const isSetByNpm = (name: string, value: string | undefined): boolean => {
    if (name.startsWith("npm_") || name === "INIT_CWD") return true;
    if (name === "NODE") return value === environment["npm_node_execpath"];
    return name === "COLOR" && (value === "0" || value === "1");
  };
  const others = Object.entries(environment).filter(([name, value]) => !isSetByNpm(name, value));
  const kept: NodeJS.ProcessEnv = Object.fromEntries(others);
  if (kept["PATH"] !== undefined) kept["PATH"] = removeNpmFolders(kept["PATH"]);
  return kept;
}

function removeNpmFolders(path: string): string {
  const folders = path.split(delimiter);
  const first = folders.findIndex((folder) => !isAbsolute(folder) || !NPM_PATH_FOLDER.test(folder));
  // If every folder matches, npm did not add them.
  return first < 0 ? path : folders.slice(first).join(delimiter);
}
