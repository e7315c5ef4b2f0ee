// Owns loading the layers for one folder: flags, environment, the user's file, the project's file,
// and whether that one is trusted. Reads files; writes none and asks no questions.

import { resolve } from "node:path";
import { locateFolders } from "../workspace/folders.ts";
import {
  getProjectFile,
  readConfigFile,
  getUserFile,
  hashBytes,
  isTrusted,
} from "./config-files.ts";
import type { LayerName, Layers, MergedSettings } from "./merge-layers.ts";
import { mergeLayers } from "./merge-layers.ts";
import type { ParsedLayer } from "./parse-settings.ts";
import { parseEnvironment, parseFile, parseFlags } from "./parse-settings.ts";
import type { Problem } from "./config-problems.ts";
import { escapeInvisible } from "./config-problems.ts";
import type { Setting, SettingValues } from "./setting-shapes.ts";

export interface LoadOptions {
  /** Flags of `start`; those that are not settings are ignored. */
  readonly flags: Readonly<Record<string, unknown>> & { readonly config?: string };
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of the workspace. */
  readonly cwd: string;
}

export interface LoadedFile extends ParsedLayer {
  readonly path: string;
  readonly exists: boolean;
}

export interface ProjectFile extends LoadedFile {
  /** Hash of the bytes read; undefined if there is no file. */
  readonly sha256: string | undefined;
  readonly trusted: boolean;
}

export interface Configuration {
  readonly user: LoadedFile;
  readonly project: ProjectFile;
  readonly layers: Layers;
  /** Invalid values of all layers; they are ignored. */
  readonly problems: readonly Problem[];
  readonly merged: MergedSettings;
}

export function loadConfiguration({ flags, environment, cwd }: LoadOptions): Configuration {
  const folders = locateFolders(cwd);
  const user = loadUserLayer(flags.config, environment["PAIRPTY_CONFIG"]);
  const project = loadProjectFile(getProjectFile(folders.folder), folders.state);
  const flag = parseFlags(flags);
  const variables = parseEnvironment(environment);
  const layers: Layers = {
    flag: flag.values,
    environment: variables.values,
    user: user.values,
    project: project.values,
  };
  return {
    user,
    project,
    layers,
    problems: [flag, variables, user, project].flatMap(({ problems }) => problems),
    merged: mergeLayers(layers, project.trusted),
  };
}

/** Returns the configuration with the project's file trusted. */
export function withTrust(configuration: Configuration): Configuration {
  return {
    ...configuration,
    project: { ...configuration.project, trusted: true },
    merged: mergeLayers(configuration.layers, true),
  };
}

/** Returns where a layer sets a setting, for people. */
export function formatSource(
  { user, project }: Pick<Configuration, "user" | "project">,
  layer: LayerName,
  setting: Setting,
): string {
  switch (layer) {
    case "flag":
      return setting.flag ?? "";
    case "environment":
      return setting.variable ?? "";
    case "user":
      return escapeInvisible(user.path);
    case "project":
      return escapeInvisible(project.path);
    case "default":
      return "default";
  }
}

/** Loads the user's file, or the one that a flag or a variable names instead. */
function loadUserLayer(flag: string | undefined, variable = ""): LoadedFile {
  if (flag !== undefined) return loadNamedFile(resolve(flag), "--config names it.");
  if (variable === "") return loadUserFile(getUserFile());
  return loadNamedFile(resolve(variable), "PAIRPTY_CONFIG names it.");
}

/** Loads a file that was named, so it must exist. */
export function loadNamedFile(path: string, right?: string): LoadedFile {
  const loaded = loadUserFile(path);
  if (loaded.exists) return loaded;
  const problem: Problem = {
    source: escapeInvisible(path),
    key: undefined,
    what: "does not exist",
    right,
  };
  return { ...loaded, problems: [problem] };
}

function loadUserFile(path: string): LoadedFile {
  return { path, ...parseRead(path, readConfigFile(path, "user")) };
}

function loadProjectFile(path: string, state: string): ProjectFile {
  const read = readConfigFile(path, "project");
  const sha256 = read?.ok === true ? hashBytes(read.bytes) : undefined;
  const trusted = sha256 !== undefined && isTrusted(state, path, sha256);
  return { path, ...parseRead(path, read), sha256, trusted };
}

function parseRead(
  path: string,
  read: ReturnType<typeof readConfigFile>,
): ParsedLayer & { exists: boolean } {
  if (read === undefined) return { exists: false, values: NO_VALUES, problems: [] };
  if (!read.ok) return { exists: true, values: NO_VALUES, problems: [read.problem] };
  return { exists: true, ...parseFile(escapeInvisible(path), read.bytes.toString("utf8")) };
}

const NO_VALUES: SettingValues = {};
