// Owns resolving settings on this machine: which shell, which real folders, which relay. A missing
// one is a problem that names the layer that set it.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import { findFolder, findProgram, findUserShell } from "../terminals/program-lookup.ts";
import { findDefaultProvider } from "./agent-options.ts";
import type { Configuration } from "./load-configuration.ts";
import { formatSource } from "./load-configuration.ts";
import type { Problem } from "./config-problems.ts";
import { escapeInvisible } from "./config-problems.ts";
import type { SettingKey } from "./setting-shapes.ts";
import { findSetting } from "./schema.ts";

export interface ResolvedSettings {
  readonly shell: string;
  /** Real paths. */
  readonly roots: readonly string[];
  /** Absolute path. */
  readonly ca: string | undefined;
  /** Absolute paths that may not exist. */
  readonly readable: readonly string[];
  readonly rootfs: string | undefined;
  /** Folder for files from the page, which may not exist; undefined for a temporary one. */
  readonly filesFolder: string | undefined;
  readonly problems: readonly Problem[];
}

/** Resolves the settings; `here` is the base of relative names in flags and variables. */
export function resolveSettings(
  configuration: Configuration,
  environment: NodeJS.ProcessEnv,
  here: string,
): ResolvedSettings {
  const { values } = configuration.merged;
  const problems: Problem[] = [];
  const report = (key: SettingKey, what: string, right?: string) =>
    problems.push({ ...findProblemSource(configuration, key), what: escapeInvisible(what), right });

  const roots = (values["agents.roots"] ?? []).flatMap((root) => {
    const found = findFolder(expandHome(root), findBaseFolder(configuration, "agents.roots", here));
    if (found.ok) return [realpathSync(found.path)];
    report("agents.roots", found.error);
    return [];
  });
  const userShell = findUserShell(environment, here);
  const chosen =
    values.shell === undefined
      ? undefined
      : findProgram(
          values.shell,
          findBaseFolder(configuration, "shell", here),
          environment["PATH"] ?? "",
        );
  if (chosen?.ok === false) report("shell", chosen.error);
  const refusal =
    values.relay === undefined ? undefined : findRelayError(values.relay, values.insecure);
  if (refusal !== undefined) report("relay", refusal.message, refusal.hint);
  const provider = findDefaultProvider(values);
  if (provider === undefined) {
    const names = Object.keys(values["terminal.providers"] ?? {}).join(", ");
    report(
      "terminal.agentDefaults.provider",
      `there is no provider "${values["terminal.agentDefaults.provider"]}"`,
      names === "" ? undefined : `terminal.providers has ${names}.`,
    );
  }
  const toPath = (key: SettingKey, value: string | undefined) =>
    value === undefined
      ? undefined
      : resolve(findBaseFolder(configuration, key, here), expandHome(value));
  const toPaths = (key: SettingKey, paths: readonly string[] = []) =>
    paths.flatMap((one) => toPath(key, one) ?? []);
  return {
    ca: toPath("ca", values.ca),
    filesFolder: toPath("files.folder", values["files.folder"]),
    shell: chosen?.ok === true ? chosen.path : userShell,
    roots,
    readable: [
      ...toPaths("sandbox.readable", values["sandbox.readable"]),
      ...toPaths("terminal.providers", provider?.type === "sandbox" ? provider.readable : []),
    ],
    rootfs:
      toPath("terminal.providers", provider?.type === "container" ? provider.rootfs : undefined) ??
      toPath("container.rootfs", values["container.rootfs"]),
    problems,
  };
}

/** Returns a problem's source; with the key for files only, which have several settings. */
function findProblemSource(
  configuration: Configuration,
  key: SettingKey,
): Pick<Problem, "source" | "key"> {
  const from = findLayer(configuration, key);
  const setting = findSetting(key);
  const source = setting === undefined ? key : formatSource(configuration, from, setting);
  return { source, key: from === "user" || from === "project" ? key : undefined };
}

function findLayer({ merged }: Configuration, key: SettingKey) {
  return merged.outcomes.find((outcome) => outcome.key === key)?.from ?? "default";
}

function findBaseFolder(configuration: Configuration, key: SettingKey, here: string): string {
  const from = findLayer(configuration, key);
  return from === "user" || from === "project" ? dirname(configuration[from].path) : here;
}

function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}

function findRelayError(relay: string, insecure = false): UserError | undefined {
  try {
    parseRelayAddress(relay, insecure);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
