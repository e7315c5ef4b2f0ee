// Owns converting the settings for agents (isolation and its provider, limits, defaults of the
// session tools, command lists) to the options that the services take. Pure: resolve-settings.ts
// has resolved the paths.

import { strictest } from "../../protocol/isolation.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import { AGENT_DEFAULTS } from "../agents/defaults.ts";
import { parseDuration } from "../grants/duration.ts";
import type {
  ContainerSettings,
  IsolationSettings,
  Limits,
} from "../isolation/isolation-settings.ts";
import { RUNTIMES } from "../isolation/isolation-settings.ts";
import type { CommandLists } from "../policy/command-lists.ts";
import { createCommandLists } from "../policy/command-lists.ts";
import { parseBytes } from "./isolation-settings.ts";
import type { SettingValues } from "./setting-shapes.ts";
import type { Provider } from "./terminal-settings.ts";

export interface IsolationPaths {
  readonly readable: readonly string[];
  readonly rootfs: string | undefined;
}

export function toIsolationSettings(
  values: SettingValues,
  { readable, rootfs }: IsolationPaths,
): IsolationSettings {
  const provider = findDefaultProvider(values);
  const type = provider?.type;
  const network = provider?.type === "local" ? undefined : provider?.network;
  const image = provider?.type === "container" ? provider.image : undefined;
  return {
    floor: strictest(values["agents.isolation"], type === "local" ? "none" : type),
    network: network ?? values["sandbox.network"] ?? "none",
    readable,
    container: { image: image ?? values["container.image"], rootfs, ...parseRuntime(values) },
    limits: toLimits(values),
  };
}

/** Returns the provider that agents use by default. Its own settings override the general ones. */
export function findDefaultProvider(values: SettingValues): Provider | undefined {
  const name = values["terminal.agentDefaults.provider"] ?? "";
  const providers = values["terminal.providers"] ?? {};
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

function parseRuntime(values: SettingValues): Pick<ContainerSettings, "runtime" | "options"> {
  const [name, ...options] = (values["container.runtime"] ?? "").split(" ");
  return { runtime: RUNTIMES.find((runtime) => runtime === name), options };
}

function toLimits(values: SettingValues): Limits {
  const size = (text: string | undefined) => (text === undefined ? undefined : parseBytes(text));
  const time = (text: string | undefined) =>
    text === undefined ? undefined : (parseDuration(text) ?? undefined);
  const cpuTime = time(values["limits.cpuTime"]);
  return {
    memory: size(values["limits.memory"]),
    pids: values["limits.pids"],
    cpu: values["limits.cpu"],
    cpuTime: cpuTime === undefined ? undefined : cpuTime / 1_000,
    fileSize: size(values["limits.fileSize"]),
    openFiles: values["limits.openFiles"],
    wallClock: time(values["limits.wallClock"]),
  };
}

/** Returns the agent defaults; `fallback` has the values that are not set. */
export function toAgentDefaults(values: SettingValues, fallback = AGENT_DEFAULTS): AgentDefaults {
  const { bash, persistent } = fallback;
  const at = "terminal.agentDefaults";
  return {
    bash: {
      cropOutput: values[`${at}.bash.cropOutput`] ?? bash.cropOutput,
      timeoutSeconds: values[`${at}.bash.timeoutSeconds`] ?? bash.timeoutSeconds,
    },
    persistent: {
      minInterval: values[`${at}.persistent.minInterval`] ?? persistent.minInterval,
      settleInterval: values[`${at}.persistent.settleInterval`] ?? persistent.settleInterval,
      maxInterval: values[`${at}.persistent.maxInterval`] ?? persistent.maxInterval,
    },
  };
}

export function toCommandLists(values: SettingValues): CommandLists {
  return createCommandLists(values["terminal.safeCommands"], values["terminal.dangerousCommands"]);
}
