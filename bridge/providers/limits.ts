// Owns which limit is enforced by which means at which level, and the sentences about those that
// are not. Pure.

import type { Isolation } from "../../protocol/isolation.ts";
import type { Limits } from "./settings.ts";

/**
 * prlimit's own words, in front of the command; none where there is nothing to limit. At `none` a
 * count of processes would count everything of the user's, so it is not set there.
 */
export function limitWords(
  prlimit: string | undefined,
  limits: Limits,
  level: Exclude<Isolation, "container">,
): string[] {
  if (prlimit === undefined) return [];
  const { memory, pids, cpuTime, fileSize, openFiles } = limits;
  const words = [
    // Not `as`: runtimes reserve far more addresses than they use.
    ...word("data", memory),
    ...word("nproc", level === "none" ? undefined : pids),
    ...word("cpu", cpuTime),
    ...word("fsize", fileSize),
    ...word("nofile", openFiles),
  ];
  return words.length === 0 ? [] : [prlimit, ...words, "--"];
}

function word(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}
