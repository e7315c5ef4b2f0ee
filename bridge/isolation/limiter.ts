// Owns how the limits of this workspace are enforced: by a systemd scope, a control group of our
// own, prlimit for each process, or options of a container; and the sentences about limits that are
// not enforced. Also owns limits by systemd, where it runs: `systemd-run --scope` creates a group
// around a command and becomes the command.

import { setTimeout as pause } from "node:timers/promises";
import type { Isolation } from "../../protocol/isolation.ts";
import type { RunProgram } from "../processes/run-program.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import type { CgroupHome, Controller } from "./cgroups.ts";
import { Cgroups, listControllers, withCgroups } from "./cgroups.ts";
import type { ContainerTools } from "./container/container-command.ts";
import { findTool } from "./find-tool.ts";
import type { Limits } from "./isolation-settings.ts";
import { toPrlimitArgs } from "./sandbox-options.ts";
import type { SandboxUser } from "./sandbox-locations.ts";

/** The mechanism that limits all processes of a start together, and the limits that it enforces. */
export type LimitMechanism =
  | { readonly by: "scope"; readonly scope: SystemdScope; readonly holds: readonly Controller[] }
  | { readonly by: "group"; readonly groups: Cgroups; readonly holds: readonly Controller[] }
  | { readonly by: "nothing"; readonly holds: readonly Controller[] };

const NO_MECHANISM: LimitMechanism = { by: "nothing", holds: [] };
/** A killed process leaves its group within milliseconds; a stop waits at most 2 s for it. */
const END_TRIES = 40;
const END_PAUSE_MS = 50;
const ALL: readonly Controller[] = ["memory", "pids", "cpu"];

export interface LimiterDeps {
  readonly limits: Limits;
  readonly run: RunProgram;
  readonly user: Pick<SandboxUser, "isRoot">;
  readonly environment: NodeJS.ProcessEnv;
  /** The name of the workspace; its groups are recognised by it. */
  readonly name: string;
  /** Returns where control groups can be created. */
  findGroups(): CgroupHome | undefined;
}

export class Limiter {
  readonly #deps: LimiterDeps;
  readonly #prlimit = findTool("prlimit");
  #mechanism: Promise<LimitMechanism> | undefined;

  constructor(deps: LimiterDeps) {
    this.#deps = deps;
  }

  /** Resolves how limits are enforced; finds out once. */
  async findMechanism(): Promise<LimitMechanism> {
    this.#mechanism ??= this.#find();
    return await this.#mechanism;
  }

  /** Resolves the limits that prlimit sets for each process: those that no group enforces for all of them. */
  async getProcessLimits(level: Exclude<Isolation, "container">): Promise<Limits> {
    const { holds } = await this.findMechanism();
    const { limits, user } = this.#deps;
    // The kernel does not count root's processes, and at `none` it would also count the user's other
    // ones.
    const pids = level === "none" || user.isRoot ? undefined : limits.pids;
    return {
      ...limits,
      memory: holds.includes("memory") ? undefined : limits.memory,
      pids: holds.includes("pids") ? undefined : pids,
    };
  }

  /** Resolves a plan without a sandbox, with limits for each process. */
  async withProcessLimits(plan: SpawnPlan): Promise<SpawnPlan> {
    const words = toPrlimitArgs(this.#prlimit, await this.getProcessLimits("none"));
    const [first, ...rest] = [...words, ...plan.argv];
    return first === undefined ? plan : { ...plan, argv: [first, ...rest] };
  }

  /** Resolves a plan of any level but `container`, in its own group if groups are available. */
  async withGroup(plan: SpawnPlan): Promise<SpawnPlan> {
    const { limits, environment } = this.#deps;
    const means = await this.findMechanism();
    if (means.by === "group") {
      const files = means.groups.make(limits);
      return { ...plan, argv: withCgroups(findTool("sh") ?? "/bin/sh", files, plan.argv) };
    }
    if (means.by === "nothing") return plan;
    const [first, ...rest] = [...toScopeArgs(means.scope, limits, plan.env), ...plan.argv];
    if (first === undefined) return plan;
    const env = { ...toScopeEnvironment(means.scope, environment), ...plan.env };
    return { ...plan, argv: [first, ...rest], env };
  }

  /** Removes groups without processes. At the end it waits for groups whose processes are dying. */
  async sweep(isEnd: boolean): Promise<void> {
    const means = await this.findMechanism();
    if (means.by !== "group") return;
    for (let tries = isEnd ? END_TRIES : 1; tries > 0 && !means.groups.sweep(isEnd); tries--) {
      if (isEnd) await pause(END_PAUSE_MS);
    }
  }

  /** Resolves a sentence for each limit that is set but not enforced here at a level. */
  async listUnenforced(
    level: Isolation,
    container: ContainerTools["enforcedLimits"] | undefined,
  ): Promise<string[]> {
    const { holds: groups } = await this.findMechanism();
    const own = ALL.filter((name) => container?.[name] === true);
    const holds = new Set<Controller>(level === "container" ? own : groups);
    return listUnenforced(this.#deps.limits, level, {
      groupLimits: holds,
      hasPrlimit: this.#prlimit !== undefined,
      isRoot: this.#deps.user.isRoot,
    });
  }

  async #find(): Promise<LimitMechanism> {
    const { limits, run, user, name } = this.#deps;
    if (ALL.every((limit) => limits[limit] === undefined)) return NO_MECHANISM;
    const systemdRun = findTool("systemd-run");
    const env = findTool("env");
    if (systemdRun !== undefined && env !== undefined) {
      const scope = { systemdRun, env, isRoot: user.isRoot };
      if (await probeScope(run, scope)) return { by: "scope", scope, holds: ALL };
    }
    const home = this.#deps.findGroups();
    if (home === undefined) return NO_MECHANISM;
    const groups = new Cgroups(home, name);
    try {
      groups.make(limits);
      groups.sweep(true);
      return { by: "group", groups, holds: listControllers(home) };
    } catch {
      // A writable folder in which groups still cannot be created, as in many containers.
      return NO_MECHANISM;
    }
  }
}

export interface Enforcement {
  readonly groupLimits: ReadonlySet<Controller>;
  readonly hasPrlimit: boolean;
  readonly isRoot: boolean;
}

/** Returns a sentence for each limit that is set but not enforced. Pure. */
export function listUnenforced(
  limits: Limits,
  level: Isolation,
  { groupLimits, hasPrlimit, isRoot }: Enforcement,
): string[] {
  const isContainer = level === "container";
  const { memory, pids, cpu, cpuTime, fileSize, openFiles } = limits;
  const sentences: string[] = [];
  const addIfUnenforced = (value: unknown, isEnforced: boolean, message: string) => {
    if (value !== undefined && !isEnforced) sentences.push(message);
  };
  const each = hasPrlimit && !isContainer;
  addIfUnenforced(
    memory,
    groupLimits.has("memory"),
    each
      ? "limits.memory applies to each process separately: there is no cgroup to count them together"
      : "limits.memory is not enforced: there is no cgroup",
  );
  addIfUnenforced(
    pids,
    groupLimits.has("pids") || (each && level === "sandbox" && !isRoot),
    "limits.pids is not enforced: there is no cgroup",
  );
  addIfUnenforced(cpu, groupLimits.has("cpu"), "limits.cpu is not enforced: there is no cgroup");
  if (isContainer || hasPrlimit) return sentences;
  for (const [name, value] of Object.entries({ cpuTime, fileSize, openFiles })) {
    addIfUnenforced(value, false, `limits.${name} is not enforced: prlimit is not installed`);
  }
  return sentences;
}

// The user's systemd is reached by two variables, which are removed before anything else runs. The
// command lines are pure.

const ANSWER_MS = 5_000;
const BUS_VARIABLES = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

interface SystemdScope {
  readonly systemdRun: string;
  readonly env: string;
  /** root uses the systemd of the system. */
  readonly isRoot: boolean;
}

/** Resolves whether limits work this way here, by trying it. */
async function probeScope(run: RunProgram, scope: SystemdScope): Promise<boolean> {
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
