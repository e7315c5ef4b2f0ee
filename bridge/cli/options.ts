// Owns the options of `pairpty start`: flags over the file given by --config over defaults.

import { realpathSync } from "node:fs";
import * as z from "zod/mini";
import { WORKSPACE_PATTERN } from "../../protocol/workspace.ts";
import { parseText } from "../../protocol/json.ts";
import { INACTIVITY_MS } from "../agents/inactivity.ts";
import { ExitCode, UserError } from "../errors.ts";
import { parseDuration } from "../grants/duration.ts";
import { LOG_LEVELS } from "../log.ts";
import { findFolder, findProgram } from "../terminals/lookup.ts";
import type { LogLevel } from "../log.ts";
import { readOptionalFile } from "../workspace/private-file.ts";

/** As commander hands them over: undefined where no flag was given. */
export interface StartFlags {
  readonly relay?: string;
  readonly workspace?: string;
  readonly port?: number;
  readonly cwd?: string;
  readonly shell?: string;
  readonly open?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly logLevel?: LogLevel;
  readonly config?: string;
  readonly new?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly agentIdle?: string;
  readonly agentRoot?: string[];
  readonly agentEnv?: string[];
  readonly conformance?: boolean;
}

export interface StartOptions {
  readonly relay: string | undefined;
  readonly workspace: string | undefined;
  readonly port: number | undefined;
  readonly cwd: string;
  readonly shell: string;
  readonly open: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly fresh: boolean;
  readonly insecure: boolean;
  readonly ca: string | undefined;
  readonly agentIdleMs: number;
  /** Folders beside the workspace's own that agents may start things in. */
  readonly agentRoots: readonly string[];
  /** Variables that agents' children get though they look like secrets. */
  readonly agentEnvironment: readonly string[];
  /** Serve what the conformance suite wants too. */
  readonly conformance: boolean;
}

const ConfigFile = z.strictObject({
  relay: z.optional(z.string()),
  workspace: z.optional(z.string().check(z.regex(WORKSPACE_PATTERN))),
  port: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  shell: z.optional(z.string().check(z.minLength(1))),
  open: z.optional(z.boolean()),
  logLevel: z.optional(z.enum(LOG_LEVELS)),
  agents: z.optional(
    z.strictObject({
      roots: z.optional(z.array(z.string().check(z.minLength(1)))),
      environment: z.optional(z.array(z.string().check(z.minLength(1)))),
    }),
  ),
});
type ConfigFile = z.infer<typeof ConfigFile>;

export function resolveOptions(flags: StartFlags, environment: NodeJS.ProcessEnv): StartOptions {
  const file = flags.config === undefined ? {} : readConfig(flags.config);
  const workspace = flags.workspace ?? file.workspace;
  if (workspace !== undefined && !WORKSPACE_PATTERN.test(workspace)) {
    throw new UserError(
      `"${workspace}" is not a workspace's name`,
      ExitCode.usage,
      "Use 3 to 64 lower-case letters, digits and inner hyphens. Long and random is safer.",
    );
  }
  const idle = flags.agentIdle === undefined ? INACTIVITY_MS : parseDuration(flags.agentIdle);
  if (idle === undefined || idle > INACTIVITY_MS) {
    throw new UserError(
      `"${flags.agentIdle}" is no time for agents' idle terminals`,
      ExitCode.usage,
      "Write 1s to 5m: the limit can be made tighter, not wider.",
    );
  }
  return {
    relay: flags.relay ?? file.relay,
    workspace,
    port: flags.port ?? file.port,
    cwd: flags.cwd ?? currentFolder(),
    shell: findShell(flags.shell ?? file.shell, environment),
    open: flags.open ?? file.open ?? false,
    quiet: flags.quiet ?? false,
    json: flags.json ?? false,
    logLevel: flags.logLevel ?? file.logLevel ?? "warn",
    fresh: flags.new ?? false,
    insecure: flags.insecure ?? false,
    ca: flags.ca,
    agentIdleMs: idle,
    agentRoots: (flags.agentRoot ?? file.agents?.roots ?? []).map(realFolder),
    agentEnvironment: flags.agentEnv ?? file.agents?.environment ?? [],
    conformance: flags.conformance ?? false,
  };
}

/** One that was asked for must be there; a `$SHELL` that is not is passed over. */
function findShell(asked: string | undefined, environment: NodeJS.ProcessEnv): string {
  const path = environment["PATH"] ?? "";
  const find = (shell: string) => findProgram(shell, currentFolder(), path);
  if (asked === undefined) {
    const usual = find(environment["SHELL"] ?? "");
    return usual.ok ? usual.path : "/bin/sh";
  }
  const found = find(asked);
  if (found.ok) return found.path;
  throw new UserError(`--shell: ${found.error}`, ExitCode.usage);
}

function realFolder(path: string): string {
  const found = findFolder(path, currentFolder());
  if (found.ok) return realpathSync(found.path);
  throw new UserError(`a folder for agents: ${found.error}`, ExitCode.usage);
}

export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UserError("the folder you are in no longer exists", ExitCode.usage, "Go to another.");
  }
}

function readConfig(path: string): ConfigFile {
  const text = readOptionalFile(path);
  if (text === undefined) throw new UserError(`${path} does not exist`, ExitCode.usage);
  const parsed = parseText(ConfigFile, text);
  if (parsed.ok) return parsed.value;
  const keys = Object.keys(ConfigFile.shape).join(", ");
  throw new UserError(`${path}: ${parsed.error}`, ExitCode.usage, `Known keys: ${keys}.`);
}
