// Owns how the limits of this workspace are enforced: by a systemd scope, a control group of our own,
// prlimit for each process, or options of a container; and the sentences about limits that are not
// enforced.

import { setTimeout as pause } from "node:timers/promises";
import type { Isolation } from "../../protocol/isolation.ts";
import type { RunProgram } from "../processes/program.ts";
import type { SpawnPlan } from "../terminals/plan.ts";
import type { CgroupHome, Controller } from "./cgroups.ts";
import { Cgroups, controllersOf, entering } from "./cgroups.ts";
import type { ContainerTools } from "./container/facts.ts";
import { findTool } from "./find-tool.ts";
import { limitWords } from "./limits.ts";
import type { WallUser } from "./place.ts";
import type { Scope } from "./scope.ts";
import { probeScope, scopeEnvironment, scopeWords } from "./scope.ts";
import type { Limits } from "./settings.ts";

/** What counts all processes of a start together, and which limits it enforces. */
export type Means =
  | { readonly by: "scope"; readonly scope: Scope; readonly holds: readonly Controller[] }
  | { readonly by: "group"; readonly groups: Cgroups; readonly holds: readonly Controller[] }
  | { readonly by: "nothing"; readonly holds: readonly Controller[] };

const NOTHING: Means = { by: "nothing", holds: [] };
/** A killed process leaves its group within milliseconds; a stop waits at most 2 s for it. */
const END_TRIES = 40;
const END_PAUSE_MS = 50;
const ALL: readonly Controller[] = ["memory", "pids", "cpu"];

export interface LimiterParts {
  readonly limits: Limits;
  readonly run: RunProgram;
  readonly user: Pick<WallUser, "isRoot">;
  readonly environment: NodeJS.ProcessEnv;
  /** The name of the workspace; its groups are recognised by it. */
  readonly name: string;
  /** Returns where control groups can be created. */
  findGroups(): CgroupHome | undefined;
}

export class Limiter {
  readonly #parts: LimiterParts;
  readonly #prlimit = findTool("prlimit");
  #means: Promise<Means> | undefined;

  constructor(parts: LimiterParts) {
    this.#parts = parts;
  }

  /** Resolves how limits are enforced; finds out once. */
  async means(): Promise<Means> {
    this.#means ??= this.#find();
    return await this.#means;
  }

  /** Resolves the limits that prlimit sets for each process: those that no group enforces for all of them. */
  async eachProcess(level: Exclude<Isolation, "container">): Promise<Limits> {
    const { holds } = await this.means();
    const { limits, user } = this.#parts;
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
  async limited(plan: SpawnPlan): Promise<SpawnPlan> {
    const words = limitWords(this.#prlimit, await this.eachProcess("none"));
    const [first, ...rest] = [...words, ...plan.argv];
    return first === undefined ? plan : { ...plan, argv: [first, ...rest] };
  }

  /** Resolves a plan of any level but `container`, in a group of its own if groups are available. */
  async grouped(plan: SpawnPlan): Promise<SpawnPlan> {
    const { limits, environment } = this.#parts;
    const means = await this.means();
    if (means.by === "group") {
      const files = means.groups.make(limits);
      return { ...plan, argv: entering(findTool("sh") ?? "/bin/sh", files, plan.argv) };
    }
    if (means.by === "nothing") return plan;
    const [first, ...rest] = [...scopeWords(means.scope, limits, plan.env), ...plan.argv];
    if (first === undefined) return plan;
    const env = { ...scopeEnvironment(means.scope, environment), ...plan.env };
    return { ...plan, argv: [first, ...rest], env };
  }

  /** Removes groups without processes. At the end it waits for groups whose processes are dying. */
  async sweep(isEnd: boolean): Promise<void> {
    const means = await this.means();
    if (means.by !== "group") return;
    for (let tries = isEnd ? END_TRIES : 1; tries > 0 && !means.groups.sweep(isEnd); tries--) {
      if (isEnd) await pause(END_PAUSE_MS);
    }
  }

  /** Resolves a sentence for each limit that is set but not enforced here at a level. */
  async unenforced(
    level: Isolation,
    container: ContainerTools["enforces"] | undefined,
  ): Promise<string[]> {
    const { holds: groups } = await this.means();
    const own = ALL.filter((name) => container?.[name] === true);
    const holds = new Set<Controller>(level === "container" ? own : groups);
    return unenforced(this.#parts.limits, level, {
      holds,
      hasPrlimit: this.#prlimit !== undefined,
      isRoot: this.#parts.user.isRoot,
    });
  }

  async #find(): Promise<Means> {
    const { limits, run, user, name } = this.#parts;
    if (ALL.every((limit) => limits[limit] === undefined)) return NOTHING;
    const systemdRun = findTool("systemd-run");
    const env = findTool("env");
    if (systemdRun !== undefined && env !== undefined) {
      const scope = { systemdRun, env, isRoot: user.isRoot };
      if (await probeScope(run, scope)) return { by: "scope", scope, holds: ALL };
    }
    const home = this.#parts.findGroups();
    if (home === undefined) return NOTHING;
    const groups = new Cgroups(home, name);
    try {
      groups.make(limits);
      groups.sweep(true);
      return { by: "group", groups, holds: controllersOf(home) };
    } catch {
      // A writable folder in which groups still cannot be created, as in many containers.
      return NOTHING;
    }
  }
}

export interface Enforcement {
  readonly holds: ReadonlySet<Controller>;
  readonly hasPrlimit: boolean;
  readonly isRoot: boolean;
}

/** Returns a sentence for each limit that is set but not enforced. Pure. */
export function unenforced(
  limits: Limits,
  level: Isolation,
  { holds, hasPrlimit, isRoot }: Enforcement,
): string[] {
  const isContainer = level === "container";
  const { memory, pids, cpu, cpuTime, fileSize, openFiles } = limits;
  const told: string[] = [];
  const tell = (value: unknown, isEnforced: boolean, sentence: string) => {
    if (value !== undefined && !isEnforced) told.push(sentence);
  };
  const each = hasPrlimit && !isContainer;
  tell(
    memory,
    holds.has("memory"),
    each
      ? "limits.memory applies to each process separately: there is no cgroup to count them together"
      : "limits.memory is not enforced: there is no cgroup",
  );
  tell(
    pids,
    holds.has("pids") || (each && level === "sandbox" && !isRoot),
    "limits.pids is not enforced: there is no cgroup",
  );
  tell(cpu, holds.has("cpu"), "limits.cpu is not enforced: there is no cgroup");
  if (isContainer || hasPrlimit) return told;
  for (const [name, value] of Object.entries({ cpuTime, fileSize, openFiles })) {
    tell(value, false, `limits.${name} is not enforced: prlimit is not installed`);
  }
  return told;
}
