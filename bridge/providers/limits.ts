// Owns limits as options of prlimit and of a container's `run`. Pure.

import type { ContainerFacts } from "./container/facts.ts";
import type { Limits } from "./settings.ts";

/** Returns the words of prlimit before the command; none if there is nothing to limit. */
export function limitWords(prlimit: string | undefined, limits: Limits): string[] {
  if (prlimit === undefined) return [];
  const { memory, pids, cpuTime, fileSize, openFiles } = limits;
  const words = [
    // Not `as`: runtimes reserve far more addresses than they use.
    ...word("data", memory),
    ...word("nproc", pids),
    ...word("cpu", cpuTime),
    ...word("fsize", fileSize),
    ...word("nofile", openFiles),
  ];
  return words.length === 0 ? [] : [prlimit, ...words, "--"];
}

function word(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

/** Returns the options of `run`, without those that this machine cannot enforce: they would fail. */
export function containerLimits(
  { memory, pids, cpu, cpuTime, fileSize, openFiles }: Limits,
  { enforces, ceilings }: Pick<ContainerFacts, "enforces" | "ceilings">,
): string[] {
  const files = openFiles === undefined ? ceilings.openFiles : `${openFiles}:${openFiles}`;
  return [
    ...(memory !== undefined && enforces.memory
      ? ["--memory", String(memory), "--memory-swap", String(memory)]
      : []),
    ...(pids !== undefined && enforces.pids ? ["--pids-limit", String(pids)] : []),
    ...(cpu !== undefined && enforces.cpu ? ["--cpus", String(cpu)] : []),
    ...ulimit("cpu", cpuTime),
    ...ulimit("fsize", fileSize),
    // podman's defaults may exceed what this process may grant.
    "--ulimit",
    `nofile=${files}`,
    "--ulimit",
    `nproc=${ceilings.processes}`,
  ];
}

function ulimit(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : ["--ulimit", `${name}=${value}:${value}`];
}
