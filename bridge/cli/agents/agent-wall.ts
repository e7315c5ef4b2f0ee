// Owns the wall around a coding agent itself (`pairpty agent --isolation`): the workspace's own walls,
// with the host's network and the agent's own settings, since it must reach its model. How walls are
// built is bridge/providers/.

import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Isolation } from "../../../protocol/isolation.ts";
import { isolationOf } from "../../config/isolation-values.ts";
import { resolveSettings } from "../../config/resolve.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { wallFolders } from "../../providers/place.ts";
import { Walls } from "../../providers/walls.ts";
import { findProgram } from "../../terminals/lookup.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { ownPlaces } from "../../workspace/folders.ts";
import { isInside } from "../../workspace/inside.ts";
import { configurationFor } from "../flags/options.ts";
import type { AgentCommand } from "./agent-process.ts";

/** Where agents keep their settings and their login, below the home, by a word of their command. */
const SETTINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/claude/, [".claude", ".claude.json"]],
  [/codex/, [".codex"]],
  [/gemini/, [".gemini"]],
  [/qwen/, [".qwen"]],
  [/opencode/, [".config/opencode", ".local/share/opencode", ".local/state/opencode"]],
  [/goose/, [".config/goose", ".local/share/goose"]],
  [/\bpi\b|pi-acp/, [".pi"]],
];

/** Variables by which agents are told where their settings are. */
const NAMED = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CONFIG_DIR", "PI_CODING_AGENT_DIR"];

export interface WalledAgent {
  readonly command: AgentCommand;
  /** It has ended: nothing of the wall is left. */
  readonly leave: () => Promise<void>;
}

/** The folders of its own settings that an agent gets: those it names, and those it is known by. Pure. */
export function settingsOf(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  home: string,
): string[] {
  const words = argv.slice(0, 3).map((word) => basename(word));
  const known = SETTINGS.filter(([name]) => words.some((word) => name.test(word)));
  const named = NAMED.flatMap((name) => env[name] ?? []);
  return [...named, ...known.flatMap(([, paths]) => paths.map((path) => join(home, path)))];
}

export async function walled(
  { argv, cwd, env }: AgentCommand,
  level: Exclude<Isolation, "none">,
  folders: WorkspaceFolders,
  named: readonly string[],
): Promise<WalledAgent> {
  const found = findProgram(argv[0], cwd, env["PATH"] ?? "");
  if (!found.ok) throw new UserError(`the agent was not found: ${found.error}`, ExitCode.agent);
  const configuration = configurationFor({ cwd: folders.folder }, process.env);
  const settings = resolveSettings(configuration, process.env, folders.folder);
  const own = [
    ...named.map((path) => made(resolve(cwd, path))),
    ...settingsOf(argv, env, homedir()).filter((path) => existsSync(path)),
  ].map((path) => realpathSync(path));
  const scripts = argv.slice(1).flatMap((word) => (word.includes("/") ? resolve(cwd, word) : []));
  const usual = wallFolders(folders);
  const isolation = isolationOf(configuration.merged.values, settings);
  const walls = new Walls(
    {
      ...usual,
      // What the bridge of this folder holds is not ours to let go of.
      name: `${usual.name}-agent-${process.pid}`,
      roots: [folders.folder, ...settings.roots, ...own],
      ownFolders: ownPlaces(folders).ownFolders,
      shell: settings.shell,
      // They are its own: its key is not ours to keep from it.
      letThrough: new Set(Object.keys(env)),
    },
    {
      ...isolation,
      network: "host",
      readable: [...isolation.readable, ...besides([found.path, ...scripts], homedir())],
      limits: {},
    },
  );
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const isolated = await walls.isolate({
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
    throw new UserError(`the agent cannot be put behind a wall: ${isolated.error}`, ExitCode.agent);
  }
  const { plan } = isolated;
  const release = walls.hold(plan);
  return {
    command: { argv: plan.argv, cwd: plan.cwd, env: plan.env },
    leave: async () => {
      release();
      await walls.end();
    },
  };
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * A program and the script that it is given read what is beside them: the package that each is of,
 * or its folder. Never a folder that the home is in.
 */
export function besides(paths: readonly string[], home: string): string[] {
  const files = paths.filter((path) => isFile(path)).map((path) => realpathSync(path));
  return files.map(packageOf).filter((folder) => !isInside(home, folder));
}

function packageOf(file: string): string {
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
