// Owns the isolation of one workspace: the level of a plan, whether that level is available here, and
// what must exist while it runs. An unavailable level is refused, never replaced by a weaker one. Works
// without a bridge: `isolate`, then `hold` while it runs.

import { join } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import type { Log } from "../log.ts";
import type { RunProgram } from "../processes/run-program.ts";
import { runProgram } from "../processes/run-program.ts";
import type { PlanResult, SpawnPlan } from "../terminals/spawn-plan.ts";
import { isInside } from "../workspace/folders.ts";
import { getTooLongReason } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Ability } from "./find-tool.ts";
import { formatUnavailable, toOutsideFinder, toOutsidePath } from "./find-tool.ts";
import type { CgroupHome } from "./cgroups.ts";
import { findCgroups } from "./cgroups.ts";
import { ContainerKeeper } from "./container/container-keeper.ts";
import { ContainerIsolation } from "./container/container-isolation.ts";
import { findGuards, ActiveGuards } from "./guards.ts";
import { listSandboxHints } from "./sandbox-hints.ts";
import { Limiter } from "./limiter.ts";
import { lookAtPath } from "./writable-roots.ts";
import type { SandboxLocations, SandboxUser } from "./sandbox-locations.ts";
import { getSandboxUser, findRootProblem } from "./sandbox-locations.ts";
import { Placeholders } from "./placeholders.ts";
import { SandboxIsolation } from "./sandbox/sandbox-isolation.ts";
import type { IsolationSettings, Limits } from "./isolation-settings.ts";

type SandboxedTerminal = Pick<PoolTerminal, "id" | "meta">;

/** The terminals that may be sandboxed. */
export interface SandboxedPool {
  running(): SandboxedTerminal[];
  get(id: string): SandboxedTerminal | undefined;
  onEvent(listener: (event: TerminalEvent) => void): () => void;
  /** Signals a terminal's programs to read its size. */
  signalResize(id: string): void;
}

export interface IsolationDeps {
  readonly run: RunProgram;
  readonly user: SandboxUser;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Pick<Log, "warn">;
  findGroups(this: void): CgroupHome | undefined;
}

/** The fields of a plan or of a terminal's metadata that say what must be held for it. */
export type HoldRequest = Pick<SpawnPlan, "isolation" | "container" | "guardedPaths">;

/** docker sometimes sends a container its size before the container can receive it. */
const NUDGE_MS = 800;

const HOME_SHARED =
  "The workspace contains your home: sandboxed programs can read and change all of it";

export class IsolationService {
  readonly #locations: SandboxLocations;
  readonly #settings: IsolationSettings;
  readonly #home: string;
  readonly #sandbox: SandboxIsolation;
  readonly #container: ContainerIsolation;
  readonly #placeholders: Placeholders;
  readonly #activeGuards: ActiveGuards;
  readonly #keeper: ContainerKeeper;
  readonly #limiter: Limiter;
  #held = 0;

  constructor(
    place: SandboxLocations,
    settings: IsolationSettings,
    ports: Partial<IsolationDeps> = {},
  ) {
    const { user = getSandboxUser() } = ports;
    const own = ports.environment ?? process.env;
    const environment = { ...own, PATH: toOutsidePath(own["PATH"] ?? "", place.roots) };
    // Not in the workspace: a program that a tool finds beside itself may come from an agent.
    const surroundings = { env: environment, cwd: "/" };
    const ask = ports.run ?? runProgram;
    const run: RunProgram = (program, args, milliseconds) =>
      ask(program, args, milliseconds, surroundings);
    this.#locations = place;
    this.#home = user.home;
    this.#settings = settings;
    const find = toOutsideFinder(environment.PATH, place.roots);
    const { name } = place;
    const standing = new ActiveGuards(join(place.folder, `standing-${name}.json`));
    const allows = (path: string) => standing.allows(path);
    this.#activeGuards = standing;
    this.#sandbox = new SandboxIsolation(place, user, settings, {
      run,
      find,
      path: environment.PATH,
      allows,
    });
    this.#container = new ContainerIsolation(place, user, settings, {
      run,
      find,
      environment,
      allows,
    });
    this.#limiter = new Limiter({
      limits: settings.limits,
      run,
      user,
      environment,
      name,
      findGroups: ports.findGroups ?? (() => findCgroups()),
    });
    this.#placeholders = new Placeholders(place.placeholders, name);
    this.#keeper = new ContainerKeeper({
      folder: place.folder,
      label: place.name,
      run,
      log: ports.log ?? { warn: () => {} },
      tools: () => this.#container.program(),
    });
  }

  /** The minimum isolation of anything that agents start. */
  get floor(): Isolation {
    return this.#settings.floor;
  }

  get limits(): Limits {
    return this.#settings.limits;
  }

  /** Returns why a level is known to be unavailable: then no person needs to be asked. */
  findProblem(level: Isolation): string | undefined {
    if (level === "none") return undefined;
    const wrong = this.#locations.roots
      .map((root) => findRootProblem(root))
      .find((why) => why !== undefined);
    if (wrong !== undefined) return wrong;
    const { lastResult } = this.#getIsolation(level);
    return lastResult?.ok === false ? formatUnavailable(lastResult) : undefined;
  }

  /** Resolves what provides a level here, in a word or two, or why nothing does. Tries it. */
  async getAbility(level: Exclude<Isolation, "none">): Promise<Ability<string>> {
    if (level === "sandbox") {
      const sandbox = await this.#sandbox.getAbility();
      return sandbox.ok ? { ok: true, value: sandbox.value.tools.version } : sandbox;
    }
    const container = await this.#container.getAbility();
    return container.ok ? { ok: true, value: formatRuntime(container.value.tools) } : container;
  }

  /** Resolves the program that runs containers, even without an image. */
  async containerProgram(): Promise<Ability<string>> {
    const program = await this.#container.programAbility();
    return program.ok ? { ok: true, value: formatRuntime(program.value) } : program;
  }

  /** Resolves a sentence for each limit that is set but not enforced here at a level. */
  async listUnenforced(level: Isolation): Promise<string[]> {
    const program = level === "container" ? await this.#container.program() : undefined;
    return await this.#limiter.listUnenforced(level, program?.enforcedLimits);
  }

  /** Resolves sentences that a person should know who allows something at a level. */
  async listNotes(level: Isolation): Promise<string[]> {
    const isHomeShared = this.#locations.roots.some((root) => isInside(this.#home, root));
    const shared = level !== "none" && isHomeShared ? [HOME_SHARED] : [];
    return [...shared, ...(await this.listUnenforced(level))];
  }

  /** Returns hints on why something failed or cannot be reached in a sandbox, judging by its output. */
  listHints(level: Isolation, output: string): string[] {
    return listSandboxHints(level, this.#settings.network, output);
  }

  /** Checks what agents' commands will need, so that the first one does not have to wait. Resolves warnings. */
  async prepare(): Promise<string[]> {
    const { floor } = this;
    const ability = floor === "none" ? undefined : await this.getAbility(floor);
    const missing =
      ability?.ok === false ? [`Agents' commands are refused: ${formatUnavailable(ability)}`] : [];
    return [...missing, ...(await this.listNotes(floor))];
  }

  /** Resolves the plan wrapped at its level, or why it cannot be. */
  async isolate(plan: SpawnPlan): Promise<PlanResult> {
    const { isolation } = plan;
    const isolated = await this.#isolate(plan);
    const why = this.findProblem(isolation);
    if (why !== undefined) return { ok: false, error: why };
    if (!isolated.ok) return isolated;
    const limited =
      isolation === "container" ? isolated.plan : await this.#limiter.withGroup(isolated.plan);
    const tooLong = getTooLongReason(limited);
    return tooLong === undefined ? { ok: true, plan: limited } : { ok: false, error: tooLong };
  }

  /** Acquires what a sandboxed process needs; returns its release. */
  hold({ isolation, container, guardedPaths }: HoldRequest): () => void {
    if (isolation === "none") return () => {};
    const release = container === undefined ? undefined : this.#keeper.hold(container);
    if (guardedPaths !== undefined) this.#activeGuards.add(guardedPaths);
    for (const root of this.#locations.roots) {
      const found = findGuards(root, lookAtPath, (path) => this.#activeGuards.allows(path));
      if (found.ok) this.#placeholders.hold(root, found.guards);
    }
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      release?.();
      this.#held -= 1;
      if (this.#held === 0) this.#releaseGuards();
    };
  }

  /**
   * Acquires resources for each running terminal, and releases those of an earlier bridge. Returns
   * the unsubscribe function.
   */
  watch(pool: SandboxedPool): () => void {
    const holds = new Map<string, () => void>();
    const add = (terminal: SandboxedTerminal | undefined) => {
      if (terminal === undefined) return;
      const { isolation = "none", container } = terminal.meta;
      const held = container === undefined ? { isolation } : { isolation, container };
      if (isolation !== "none") holds.set(terminal.id, this.hold(held));
    };
    for (const terminal of pool.running()) add(terminal);
    if (this.#held === 0) this.#releaseGuards();
    void this.#keeper.sweep();
    void this.#limiter.sweep(false);
    return pool.onEvent(({ event, terminal: { id } }) => {
      if (event === "created") {
        add(pool.get(id));
        if (this.#runsInDocker(pool.get(id)))
          setTimeout(() => pool.signalResize(id), NUDGE_MS).unref();
      }
      if (event !== "closed") return;
      holds.get(id)?.();
      holds.delete(id);
      void this.#limiter.sweep(false);
    });
  }

  /** Whether a crashed bridge left something for `end` to remove: every sandbox has placeholders. */
  get hasLeftovers(): boolean {
    return this.#placeholders.isHeld;
  }

  /** Releases everything, after all processes have ended. */
  async end(): Promise<void> {
    this.#releaseGuards();
    await this.#limiter.sweep(true);
    await this.#keeper.sweep();
  }

  #releaseGuards(): void {
    this.#placeholders.release();
    this.#activeGuards.clear();
  }

  #runsInDocker(terminal: SandboxedTerminal | undefined): boolean {
    const { lastResult } = this.#container;
    const isDocker = lastResult?.ok === true && lastResult.value.tools.runtime === "docker";
    return isDocker && terminal?.meta.container !== undefined;
  }

  #getIsolation(level: Exclude<Isolation, "none">): SandboxIsolation | ContainerIsolation {
    return level === "sandbox" ? this.#sandbox : this.#container;
  }

  async #isolate(plan: SpawnPlan): Promise<PlanResult> {
    switch (plan.isolation) {
      case "none":
        return { ok: true, plan: await this.#limiter.withProcessLimits(plan) };
      case "sandbox":
        return await this.#sandbox.wrap(plan, await this.#limiter.getProcessLimits("sandbox"));
      case "container":
        return await this.#container.wrap(plan);
    }
  }
}

function formatRuntime({
  runtime,
  version,
}: {
  readonly runtime: string;
  readonly version: string;
}) {
  return `${runtime} ${version}`;
}
