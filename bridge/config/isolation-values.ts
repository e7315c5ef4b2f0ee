// Owns converting the settings of isolation to what the providers take. Pure: paths are already
// resolved.

import type { Isolation } from "../../protocol/isolation.ts";
import { ISOLATIONS } from "../../protocol/isolation.ts";
import { parseDuration } from "../grants/duration.ts";
import type { ContainerSettings, IsolationSettings, Limits } from "../providers/settings.ts";
import { RUNTIMES } from "../providers/settings.ts";
import { bytesOf } from "./isolation-settings.ts";
import type { Values } from "./schema.ts";
import type { Provider } from "./terminal-settings.ts";

export interface IsolationPaths {
  readonly readable: readonly string[];
  readonly rootfs: string | undefined;
}

export function isolationOf(
  values: Values,
  { readable, rootfs }: IsolationPaths,
): IsolationSettings {
  const provider = defaultProvider(values);
  const network = provider?.type === "local" ? undefined : provider?.network;
  const image = provider?.type === "container" ? provider.image : undefined;
  return {
    floor: thicker(values["agents.isolation"] ?? "none", provider),
    network: network ?? values["sandbox.network"] ?? "none",
    readable,
    container: { image: image ?? values["container.image"], rootfs, ...programOf(values) },
    limits: limitsOf(values),
  };
}

/** Returns the provider that agents use by default. Its own settings override the general ones. */
export function defaultProvider(values: Values): Provider | undefined {
  const name = values["terminal.agentDefaults.provider"] ?? "";
  const providers = values["terminal.providers"] ?? {};
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

function thicker(floor: Isolation, provider: Provider | undefined): Isolation {
  const level = provider === undefined || provider.type === "local" ? "none" : provider.type;
  return ISOLATIONS.indexOf(level) > ISOLATIONS.indexOf(floor) ? level : floor;
}

function programOf(values: Values): Pick<ContainerSettings, "runtime" | "options"> {
  const [name, ...options] = (values["container.runtime"] ?? "").split(" ");
  return { runtime: RUNTIMES.find((runtime) => runtime === name), options };
}

function limitsOf(values: Values): Limits {
  const size = (text: string | undefined) => (text === undefined ? undefined : bytesOf(text));
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
