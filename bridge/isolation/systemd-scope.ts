// Owns limits by systemd, where it runs: `systemd-run --scope` creates a group around a command and
// becomes the command. The user's systemd is reached by two variables, which are removed before
// anything else runs. The command lines are pure.

import type { RunProgram } from "../processes/run-program.ts";
import type { Limits } from "./isolation-settings.ts";

const ANSWER_MS = 5_000;
const BUS_VARIABLES = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

export interface SystemdScope {
  readonly systemdRun: string;
  readonly env: string;
  /** root uses the systemd of the system. */
  readonly isRoot: boolean;
}

/** Resolves whether limits work this way here, by trying it. */
export async function probeScope(run: RunProgram, scope: SystemdScope): Promise<boolean> {
  const trial = { memory: 64 << 20, pids: 16, cpu: 1 };
  const [file = "", ...args] = toScopeArgs(scope, trial);
  const ran = await run(file, [...args, "/bin/true"], ANSWER_MS);
  return ran.is === "ended" && ran.code === 0;
}

/** Returns the words before the command, which gets the original values of these variables. */
export function toScopeArgs(
  { systemdRun, env, isRoot }: SystemdScope,
  limits: Limits,
  given: Readonly<Record<string, string>> = {},
): string[] {
  const { memory, pids, cpu } = limits;
  const properties = [
    ...(memory === undefined ? [] : [`MemoryMax=${memory}`, "MemorySwapMax=0"]),
    ...(pids === undefined ? [] : [`TasksMax=${pids}`]),
    ...(cpu === undefined ? [] : [`CPUQuota=${Math.round(cpu * 100)}%`]),
  ];
  if (properties.length === 0) return [];
  const added = isRoot ? [] : BUS_VARIABLES.filter((name) => !Object.hasOwn(given, name));
  return [
    systemdRun,
    ...(isRoot ? [] : ["--user"]),
    "--scope",
    "--quiet",
    "--collect",
    ...properties.flatMap((property) => ["--property", property]),
    "--",
    ...(added.length === 0 ? [] : [env, ...added.flatMap((name) => ["--unset", name])]),
  ];
}

/** Returns the variables that the words need; they are removed before the command runs. */
export function toScopeEnvironment(
  { isRoot }: SystemdScope,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  if (isRoot) return {};
  return Object.fromEntries(
    BUS_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
