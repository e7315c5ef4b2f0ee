// Owns limits by systemd, where it runs: `systemd-run --scope` creates a group around a command and
// becomes the command. The user's systemd is reached by two variables, which are removed before
// anything else runs. The command lines are pure.

import type { RunProgram } from "../processes/program.ts";
import type { Limits } from "./settings.ts";

const ANSWER_MS = 5_000;
const WAYS = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

export interface Scope {
  readonly systemdRun: string;
  readonly env: string;
  /** root uses the systemd of the system. */
  readonly isRoot: boolean;
}

/** Resolves whether limits work this way here, by trying it. */
export async function probeScope(run: RunProgram, scope: Scope): Promise<boolean> {
  const trial = { memory: 64 << 20, pids: 16, cpu: 1 };
  const [file = "", ...args] = scopeWords(scope, trial);
  const ran = await run(file, [...args, "/bin/true"], ANSWER_MS);
  return ran.is === "ended" && ran.code === 0;
}

/** Returns the words before the command, which gets the original values of these variables. */
export function scopeWords(
  { systemdRun, env, isRoot }: Scope,
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
  const added = isRoot ? [] : WAYS.filter((name) => !Object.hasOwn(given, name));
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
export function scopeEnvironment(
  { isRoot }: Scope,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  if (isRoot) return {};
  return Object.fromEntries(
    WAYS.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
