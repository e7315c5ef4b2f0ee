// Owns the step from the settings about walls to what the walls take. Pure: paths have been resolved.

import { parseDuration } from "../grants/duration.ts";
import type { ContainerSettings, IsolationSettings, Limits } from "../providers/settings.ts";
import { RUNTIMES } from "../providers/settings.ts";
import { bytesOf } from "./isolation-settings.ts";
import type { Values } from "./schema.ts";

export interface IsolationPaths {
  readonly readable: readonly string[];
  readonly rootfs: string | undefined;
}

export function isolationOf(
  values: Values,
  { readable, rootfs }: IsolationPaths,
): IsolationSettings {
  return {
    floor: values["agents.isolation"] ?? "none",
    network: values["sandbox.network"] ?? "none",
    readable,
    container: { image: values["container.image"], rootfs, ...programOf(values) },
    limits: limitsOf(values),
  };
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
