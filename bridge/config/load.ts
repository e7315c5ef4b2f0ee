// Owns loading the layers for one folder: flags, environment, the user's file, the project's file,
// and whether that one is trusted. Reads files; writes none and asks no questions.

import { resolve } from "node:path";
import { locateFolders } from "../workspace/folders.ts";
import { projectFile, readConfigFile, userFile } from "./files.ts";
import type { LayerName, Layers, Merged } from "./layers.ts";
import { merge } from "./layers.ts";
import type { Said } from "./parse.ts";
import { parseEnvironment, parseFile, parseFlags } from "./parse.ts";
import type { Problem } from "./problems.ts";
import { escaped } from "./problems.ts";
import type { Setting, Values } from "./schema.ts";
import { hashOf, isTrusted } from "./trust.ts";

export interface Asked {
  /** Flags of `start`; those that are not settings are ignored. */
  readonly flags: Readonly<Record<string, unknown>> & { readonly config?: string };
  readonly environment: NodeJS.ProcessEnv;
  /** Folder of the workspace. */
  readonly cwd: string;
}

export interface LoadedFile extends Said {
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
  readonly merged: Merged;
}

export function loadConfiguration({ flags, environment, cwd }: Asked): Configuration {
  const folders = locateFolders(cwd);
  const user = loadUsers(flags.config, environment["PAIRPTY_CONFIG"]);
  const project = loadProject(projectFile(folders.folder), folders.state);
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
    merged: merge(layers, project.trusted),
  };
}

/** Returns the configuration with the project's file trusted. */
export function withTrust(configuration: Configuration): Configuration {
  return {
    ...configuration,
    project: { ...configuration.project, trusted: true },
    merged: merge(configuration.layers, true),
  };
}

/** Returns where a layer sets a setting, for people. */
export function sourceOf(
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
      return escaped(user.path);
    case "project":
      return escaped(project.path);
    case "default":
      return "default";
  }
}

/** Loads the user's file, or the one that a flag or a variable names instead. */
function loadUsers(flag: string | undefined, variable = ""): LoadedFile {
  if (flag !== undefined) return loadNamed(resolve(flag), "--config names it.");
  if (variable === "") return loadUser(userFile());
  return loadNamed(resolve(variable), "PAIRPTY_CONFIG names it.");
}

/** Loads a file that was named, so it must exist. */
export function loadNamed(path: string, right?: string): LoadedFile {
  const loaded = loadUser(path);
  if (loaded.exists) return loaded;
  const problem: Problem = {
    source: escaped(path),
    key: undefined,
    what: "does not exist",
    right,
  };
  return { ...loaded, problems: [problem] };
}

function loadUser(path: string): LoadedFile {
  return { path, ...said(path, readConfigFile(path, "user")) };
}

function loadProject(path: string, state: string): ProjectFile {
  const read = readConfigFile(path, "project");
  const sha256 = read?.ok === true ? hashOf(read.bytes) : undefined;
  const trusted = sha256 !== undefined && isTrusted(state, path, sha256);
  return { path, ...said(path, read), sha256, trusted };
}

function said(path: string, read: ReturnType<typeof readConfigFile>): Said & { exists: boolean } {
  if (read === undefined) return { exists: false, values: NOTHING, problems: [] };
  if (!read.ok) return { exists: true, values: NOTHING, problems: [read.problem] };
  return { exists: true, ...parseFile(escaped(path), read.bytes.toString("utf8")) };
}

const NOTHING: Values = {};
