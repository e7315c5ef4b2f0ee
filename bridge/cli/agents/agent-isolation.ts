// Puts a coding agent itself into a sandbox or container (`pairpty agent --isolation`): the workspace's
// isolation, plus the host's network and the agent's own settings, since it must reach its model.
// bridge/isolation/ implements isolation.

import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import { toIsolationSettings } from "../../config/agent-options.ts";
import { resolveSettings } from "../../config/resolve-settings.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { toSandboxFolders } from "../../isolation/sandbox-locations.ts";
import { IsolationService } from "../../isolation/isolation-service.ts";
import { findProgram } from "../../terminals/program-lookup.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { getOwnPaths, isInside } from "../../workspace/folders.ts";
import { loadStartConfiguration } from "../flags/start-options.ts";
import type { AgentCommand } from "./agent-process.ts";

/** Where agents keep settings and credentials, relative to the home, by a word of their command. */
const SETTINGS_BY_AGENT: readonly (readonly [RegExp, readonly string[]])[] = [
  [/claude/, [".claude", ".claude.json"]],
  [/codex/, [".codex"]],
  [/gemini/, [".gemini"]],
  [/qwen/, [".qwen"]],
  [/opencode/, [".config/opencode", ".local/share/opencode", ".local/state/opencode"]],
  [/goose/, [".config/goose", ".local/share/goose"]],
  [/\bpi\b|pi-acp/, [".pi"]],
];

/** Variables that set where an agent keeps its settings. */
const SETTINGS_VARIABLES = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "GEMINI_CONFIG_DIR",
  "PI_CODING_AGENT_DIR",
];

export interface IsolatedAgent {
  readonly command: AgentCommand;
  /** Removes the isolation after the agent has exited. */
  readonly release: () => Promise<void>;
}

/**
 * Returns the settings folders that an agent gets: those named by variables, and the known ones. Pure.
 */
export function listAgentSettings(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  home: string,
): string[] {
  const words = argv.slice(0, 3).map((word) => basename(word));
  const known = SETTINGS_BY_AGENT.filter(([name]) => words.some((word) => name.test(word)));
  const extraFolders = SETTINGS_VARIABLES.flatMap((name) => env[name] ?? []);
  return [...extraFolders, ...known.flatMap(([, paths]) => paths.map((path) => join(home, path)))];
}

export async function isolateAgent(
  { argv, cwd, env }: AgentCommand,
  level: Exclude<Isolation, "none">,
  folders: WorkspaceFolders,
  extraFolders: readonly string[],
): Promise<IsolatedAgent> {
  const found = findProgram(argv[0], cwd, env["PATH"] ?? "");
  if (!found.ok) throw new UserError(`the agent was not found: ${found.error}`, ExitCode.agent);
  const configuration = loadStartConfiguration({ cwd: folders.folder }, process.env);
  const settings = resolveSettings(configuration, process.env, folders.folder);
  const settingsFolders = [
    ...extraFolders.map((path) => ensureFolder(resolve(cwd, path))),
    ...listAgentSettings(argv, env, homedir()).filter((path) => existsSync(path)),
  ].map((path) => realpathSync(path));
  const scripts = argv.slice(1).flatMap((word) => (word.includes("/") ? resolve(cwd, word) : []));
  const folderDeps = toSandboxFolders(folders);
  const isolation = toIsolationSettings(configuration.merged.values, settings);
  const isolationService = new IsolationService(
    {
      ...folderDeps,
      // A separate workspace name: the bridge of this folder holds its own resources.
      name: `${folderDeps.name}-agent-${process.pid}`,
      roots: [folders.folder, ...settings.roots, ...settingsFolders],
      ownFolders: getOwnPaths(folders).ownFolders,
      shell: settings.shell,
      // The agent needs its own variables, including its API key.
      envAllowlist: new Set(Object.keys(env)),
    },
    {
      ...isolation,
      network: "host",
      readable: [...isolation.readable, ...listPackageFolders([found.path, ...scripts], homedir())],
      limits: {},
    },
  );
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const isolated = await isolationService.isolate({
    argv: [found.path, ...argv.slice(1)],
    command: argv,
    cwd,
    env: Object.fromEntries(given),
    added: {},
    size: { cols: 80, rows: 24 },
    lane: "command",
    lifetime: "held",
    retain: undefined,
    isolation: level,
    startedBy: undefined,
  });
  if (!isolated.ok) {
    throw new UserError(`the agent cannot run isolated: ${isolated.error}`, ExitCode.agent);
  }
  const { plan } = isolated;
  const release = isolationService.hold(plan);
  return {
    command: { argv: plan.argv, cwd: plan.cwd, env: plan.env },
    release: async () => {
      release();
      await isolationService.end();
    },
  };
}

function ensureFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Returns the folders that a program and its script read beside them: each one's package, or its
 * folder. Never a folder that contains the home.
 */
export function listPackageFolders(paths: readonly string[], home: string): string[] {
  const files = paths.filter((path) => isFile(path)).map((path) => realpathSync(path));
  return files.map(findPackageFolder).filter((folder) => !isInside(home, folder));
}

function findPackageFolder(file: string): string {
  const at = file.indexOf("/node_modules/");
  if (at >= 0) return `${file.slice(0, at)}/node_modules`;
  for (let folder = dirname(file); folder !== "/"; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return dirname(file);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
