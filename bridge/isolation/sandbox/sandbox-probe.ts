// Owns finding out whether a sandbox works here, by creating one: programs, namespaces, filter. A
// failure is one sentence, with another that says what to do.

import type { ProgramResult, RunProgram } from "../../processes/run-program.ts";
import type { Ability, FindTool } from "../find-tool.ts";
import { toUnavailable, findTool } from "../find-tool.ts";
import type { SandboxPrograms } from "./sandbox-command.ts";
import { isKnownArchitecture } from "./seccomp-filter.ts";

const ANSWER_MS = 5_000;

/** A full path: PATH may contain folders that agents can write. */
const TRUE_PROGRAM = "/bin/true";

const TRIAL_OPTIONS =
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --cap-drop ALL --ro-bind / / --proc /proc --dev /dev".split(
    " ",
  );

/** Supported from bubblewrap 0.7 on. */
const SIZE_OPTIONS = ["--size", "4096", "--tmpfs", "/tmp"];
/**
 * Supported from bubblewrap 0.8 on. Without it, programs can create nested namespaces, which give them
 * no additional rights.
 */
const DISABLE_USERNS = ["--disable-userns"];

/** Sets of abilities, the newest first. */
const ABILITIES = [
  { words: [...SIZE_OPTIONS, ...DISABLE_USERNS], canForbidNamespaces: true, canSizeFolders: true },
  { words: SIZE_OPTIONS, canForbidNamespaces: false, canSizeFolders: true },
  { words: [], canForbidNamespaces: false, canSizeFolders: false },
] as const;

export interface SandboxTools {
  readonly version: string;
  readonly programs: SandboxPrograms;
  readonly canForbidNamespaces: boolean;
  /** Whether private folders can have a size. */
  readonly canSizeFolders: boolean;
}

export async function probeSandbox(
  run: RunProgram,
  findOutside: FindTool,
  find: FindTool = findTool,
  { platform, arch }: Pick<NodeJS.Process, "platform" | "arch"> = process,
): Promise<Ability<SandboxTools>> {
  if (platform !== "linux") {
    return toUnavailable("The sandbox needs Linux", "Use a container (container.image)");
  }
  if (!isKnownArchitecture(arch)) {
    return toUnavailable(
      `The sandbox does not support ${arch}`,
      "Use a container (container.image)",
    );
  }
  const bwrap = findOutside("bwrap");
  if (bwrap === undefined) {
    return toUnavailable(
      "bubblewrap is not installed",
      "Install it (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap)",
    );
  }
  const env = find("env");
  const sh = find("sh");
  if (env === undefined || sh === undefined) {
    return toUnavailable("env or sh is missing in /usr/bin", "Install coreutils and a shell");
  }
  const signals = await run(
    env,
    ["--ignore-signal=INT", env, "--default-signal", TRUE_PROGRAM],
    ANSWER_MS,
  );
  if (!hasSucceeded(signals)) {
    return toUnavailable(
      `${env} cannot set signals, which the sandbox needs`,
      "Install GNU coreutils 8.31 or later",
    );
  }
  const version = await run(bwrap, ["--version"], ANSWER_MS);
  if (version.is !== "ended") return explainSandboxFailure("bubblewrap", version);
  const name = version.firstLine;
  const programs = { sh, env, bwrap, perl: find("perl"), prlimit: find("prlimit") };
  let trial: ProgramResult = version;
  for (const { words, ...abilities } of ABILITIES) {
    trial = await run(bwrap, [...TRIAL_OPTIONS, ...words, TRUE_PROGRAM], ANSWER_MS);
    if (hasSucceeded(trial)) return { ok: true, value: { version: name, programs, ...abilities } };
    if (trial.is !== "ended") break;
  }
  return explainSandboxFailure(name, trial);
}

/** Returns why a trial failed, and what to do. Pure. */
export function explainSandboxFailure(name: string, trial: ProgramResult): Ability<never> {
  const complaint = trial.is === "ended" ? trial.errorLine : "it did not answer";
  if (/namespaces? exceeded|ENOSPC|No space left/i.test(complaint)) {
    return toUnavailable(
      `${name} cannot create more user namespaces here`,
      "Raise the limit: sysctl user.max_user_namespaces=10000",
    );
  }
  if (/setting up uid map: Permission denied/i.test(complaint)) {
    return toUnavailable(
      `${name} may not set up a user namespace here, as where AppArmor restricts them`,
      "On Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap that allows userns",
    );
  }
  if (
    /No permissions to create|Operation not permitted|creating new namespace failed/i.test(
      complaint,
    )
  ) {
    return toUnavailable(
      `User namespaces are disabled here (${complaint})`,
      "Allow them: sysctl kernel.unprivileged_userns_clone=1. In a container, start it with --security-opt seccomp=unconfined, or use level container outside of it",
    );
  }
  return toUnavailable(
    `${name} cannot create a sandbox here: ${complaint}`,
    "Use a container (container.image)",
  );
}

function hasSucceeded(ran: ProgramResult): boolean {
  return ran.is === "ended" && ran.code === 0;
}
