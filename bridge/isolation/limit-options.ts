// Owns limits as options of prlimit and of a container's `run`. Pure.

import type { ContainerFacts } from "./container/container-facts.ts";
import type { Limits } from "./isolation-settings.ts";

/** Returns the words of prlimit before the command; none if there is nothing to limit. */
export function toPrlimitArgs(prlimit: string | undefined, limits: Limits): string[] {
  if (prlimit === undefined) return [];
  const { memory, pids, cpuTime, fileSize, openFiles } = limits;
  const words = [
    // Not `as`: runtimes reserve far more addresses than they use.
    ...toOption("data", memory),
    ...toOption("nproc", pids),
    ...toOption("cpu", cpuTime),
    ...toOption("fsize", fileSize),
    ...toOption("nofile", openFiles),
  ];
  return words.length === 0 ? [] : [prlimit, ...words, "--"];
}

function toOption(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

/** Returns the options of `run`, without those that this machine cannot enforce: they would fail. */
export function toContainerOptions(
  { memory, pids, cpu, cpuTime, fileSize, openFiles }: Limits,
  { enforcedLimits, maxLimits }: Pick<ContainerFacts, "enforcedLimits" | "maxLimits">,
): string[] {
  const files = openFiles === undefined ? maxLimits.openFiles : `${openFiles}:${openFiles}`;
  return [
    ...(memory !== undefined && enforcedLimits.memory
      ? ["--memory", String(memory), "--memory-swap", String(memory)]
      : []),
    ...(pids !== undefined && enforcedLimits.pids ? ["--pids-limit", String(pids)] : []),
    ...(cpu !== undefined && enforcedLimits.cpu ? ["--cpus", String(cpu)] : []),
    ...toUlimit("cpu", cpuTime),
    ...toUlimit("fsize", fileSize),
    // podman's defaults may exceed what this process may grant.
    "--ulimit",
    `nofile=${files}`,
    "--ulimit",
    `nproc=${maxLimits.processes}`,
  ];
}

function toUlimit(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : ["--ulimit", `${name}=${value}:${value}`];
}
