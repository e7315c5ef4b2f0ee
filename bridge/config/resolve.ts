// Owns resolving settings on this machine: which shell, which real folders, which relay. A missing
// one is a problem that names the layer that set it.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { parseRelayAddress } from "../link/address.ts";
import { findFolder, findProgram, findUserShell } from "../terminals/lookup.ts";
import { defaultProvider } from "./isolation-values.ts";
import type { Configuration } from "./load.ts";
import { sourceOf } from "./load.ts";
import type { Problem } from "./problems.ts";
import { escaped } from "./problems.ts";
import type { SettingKey } from "./schema.ts";
import { settingOf } from "./schema.ts";

export interface Resolved {
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
): Resolved {
  const { values } = configuration.merged;
  const problems: Problem[] = [];
  const report = (key: SettingKey, what: string, right?: string) =>
    problems.push({ ...placeOf(configuration, key), what: escaped(what), right });

  const roots = (values["agents.roots"] ?? []).flatMap((root) => {
    const found = findFolder(atHome(root), baseOf(configuration, "agents.roots", here));
    if (found.ok) return [realpathSync(found.path)];
    report("agents.roots", found.error);
    return [];
  });
  const userShell = findUserShell(environment, here);
  const chosen =
    values.shell === undefined
      ? undefined
      : findProgram(values.shell, baseOf(configuration, "shell", here), environment["PATH"] ?? "");
  if (chosen?.ok === false) report("shell", chosen.error);
  const refusal = values.relay === undefined ? undefined : refused(values.relay, values.insecure);
  if (refusal !== undefined) report("relay", refusal.message, refusal.hint);
  const provider = defaultProvider(values);
  if (provider === undefined) {
    const names = Object.keys(values["terminal.providers"] ?? {}).join(", ");
    report(
      "terminal.agentDefaults.provider",
      `there is no provider "${values["terminal.agentDefaults.provider"]}"`,
      names === "" ? undefined : `terminal.providers has ${names}.`,
    );
  }
  const fileOf = (key: SettingKey, value: string | undefined) =>
    value === undefined ? undefined : resolve(baseOf(configuration, key, here), atHome(value));
  const filesOf = (key: SettingKey, paths: readonly string[] = []) =>
    paths.flatMap((one) => fileOf(key, one) ?? []);
  return {
    ca: fileOf("ca", values.ca),
    filesFolder: fileOf("files.folder", values["files.folder"]),
    shell: chosen?.ok === true ? chosen.path : userShell,
    roots,
    readable: [
      ...filesOf("sandbox.readable", values["sandbox.readable"]),
      ...filesOf("terminal.providers", provider?.type === "sandbox" ? provider.readable : []),
    ],
    rootfs:
      fileOf("terminal.providers", provider?.type === "container" ? provider.rootfs : undefined) ??
      fileOf("container.rootfs", values["container.rootfs"]),
    problems,
  };
}

/** Returns a problem's source; with the key for files only, which have several settings. */
function placeOf(configuration: Configuration, key: SettingKey): Pick<Problem, "source" | "key"> {
  const from = layerOf(configuration, key);
  const setting = settingOf(key);
  const source = setting === undefined ? key : sourceOf(configuration, from, setting);
  return { source, key: from === "user" || from === "project" ? key : undefined };
}

function layerOf({ merged }: Configuration, key: SettingKey) {
  return merged.outcomes.find((outcome) => outcome.key === key)?.from ?? "default";
}

function baseOf(configuration: Configuration, key: SettingKey, here: string): string {
  const from = layerOf(configuration, key);
  return from === "user" || from === "project" ? dirname(configuration[from].path) : here;
}

function atHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}

function refused(relay: string, insecure = false): UserError | undefined {
  try {
    parseRelayAddress(relay, insecure);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
