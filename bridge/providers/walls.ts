// Owns the isolation of one workspace: the level of a plan, whether that level is available here, and
// what must exist while it runs. An unavailable level is refused, never replaced by a weaker one. Works
// without a bridge: `isolate`, then `hold` while it runs.

import { join } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import type { Log } from "../log.ts";
import type { RunProgram } from "../processes/program.ts";
import { runProgram } from "../processes/program.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import { isInside } from "../workspace/inside.ts";
import { whyTooLong } from "../terminals/plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Ability } from "./ability.ts";
import { sentences } from "./ability.ts";
import type { CgroupHome } from "./cgroups.ts";
import { findCgroups } from "./cgroups.ts";
import { ContainerKeeper } from "./container/keeper.ts";
import { ContainerWall } from "./container/wall.ts";
import { finderOutside, pathOutside } from "./find-tool.ts";
import { guardsOf } from "./guards.ts";
import { wallHints } from "./hints.ts";
import { Limiter } from "./limiter.ts";
import { look } from "./look.ts";
import type { WallPlace, WallUser } from "./place.ts";
import { wallUser, whyNotRoot } from "./place.ts";
import { Placeholders } from "./placeholders.ts";
import { SandboxWall } from "./sandbox/wall.ts";
import type { IsolationSettings, Limits } from "./settings.ts";
import { StandingGuards } from "./standing.ts";

type Walled = Pick<PoolTerminal, "id" | "meta">;

/** The terminals that may be sandboxed. */
export interface WalledPool {
  running(): Walled[];
  get(id: string): Walled | undefined;
  onEvent(listener: (event: TerminalEvent) => void): () => void;
  /** Signals a terminal's programs to read its size. */
  nudgeSize(id: string): void;
}

export interface WallPorts {
  readonly run: RunProgram;
  readonly user: WallUser;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Pick<Log, "warn">;
  findGroups(this: void): CgroupHome | undefined;
}

/** The fields of a plan or of a terminal's metadata that say what must be held for it. */
export type Held = Pick<SpawnPlan, "isolation" | "container" | "guarded">;

/** docker sometimes sends a container its size before the container can receive it. */
const NUDGE_MS = 800;

const HOME_SHARED =
  "The workspace contains your home: sandboxed programs can read and change all of it";

export class Walls {
  readonly #place: WallPlace;
  readonly #settings: IsolationSettings;
  readonly #home: string;
  readonly #sandbox: SandboxWall;
  readonly #container: ContainerWall;
  readonly #placeholders: Placeholders;
  readonly #standing: StandingGuards;
  readonly #keeper: ContainerKeeper;
  readonly #limiter: Limiter;
  #held = 0;

  constructor(place: WallPlace, settings: IsolationSettings, ports: Partial<WallPorts> = {}) {
    const { user = wallUser() } = ports;
    const own = ports.environment ?? process.env;
    const environment = { ...own, PATH: pathOutside(own["PATH"] ?? "", place.roots) };
    // Not in the workspace: a program that a tool finds beside itself may come from an agent.
    const surroundings = { env: environment, cwd: "/" };
    const ask = ports.run ?? runProgram;
    const run: RunProgram = (program, args, milliseconds) =>
      ask(program, args, milliseconds, surroundings);
    this.#place = place;
    this.#home = user.home;
    this.#settings = settings;
    const find = finderOutside(environment.PATH, place.roots);
    const { name } = place;
    const standing = new StandingGuards(join(place.folder, `standing-${name}.json`));
    const allows = (path: string) => standing.allows(path);
    this.#standing = standing;
    this.#sandbox = new SandboxWall(place, user, settings, {
      run,
      find,
      path: environment.PATH,
      allows,
    });
    this.#container = new ContainerWall(place, user, settings, { run, find, environment, allows });
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
  whyNot(level: Isolation): string | undefined {
    if (level === "none") return undefined;
    const wrong = this.#place.roots
      .map((root) => whyNotRoot(root))
      .find((why) => why !== undefined);
    if (wrong !== undefined) return wrong;
    const { known } = this.#wallOf(level);
    return known?.ok === false ? sentences(known) : undefined;
  }

  /** Resolves what provides a level here, in a word or two, or why nothing does. Tries it. */
  async ability(level: Exclude<Isolation, "none">): Promise<Ability<string>> {
    if (level === "sandbox") {
      const sandbox = await this.#sandbox.ability();
      return sandbox.ok ? { ok: true, value: sandbox.value.tools.version } : sandbox;
    }
    const container = await this.#container.ability();
    return container.ok ? { ok: true, value: nameOf(container.value.tools) } : container;
  }

  /** Resolves the program that runs containers, even without an image. */
  async containerProgram(): Promise<Ability<string>> {
    const program = await this.#container.programAbility();
    return program.ok ? { ok: true, value: nameOf(program.value) } : program;
  }

  /** Resolves a sentence for each limit that is set but not enforced here at a level. */
  async unenforced(level: Isolation): Promise<string[]> {
    const program = level === "container" ? await this.#container.program() : undefined;
    return await this.#limiter.unenforced(level, program?.enforces);
  }

  /** Resolves sentences that a person should know who allows something at a level. */
  async notes(level: Isolation): Promise<string[]> {
    const isHomeShared = this.#place.roots.some((root) => isInside(this.#home, root));
    const shared = level !== "none" && isHomeShared ? [HOME_SHARED] : [];
    return [...shared, ...(await this.unenforced(level))];
  }

  /** Returns hints on why something failed or cannot be reached in a sandbox, judging by its output. */
  hints(level: Isolation, output: string): string[] {
    return wallHints(level, this.#settings.network, output);
  }

  /** Checks what agents' commands will need, so that the first one does not have to wait. Resolves warnings. */
  async prepare(): Promise<string[]> {
    const { floor } = this;
    const ability = floor === "none" ? undefined : await this.ability(floor);
    const missing =
      ability?.ok === false ? [`Agents' commands are refused: ${sentences(ability)}`] : [];
    return [...missing, ...(await this.notes(floor))];
  }

  /** Resolves the plan wrapped at its level, or why it cannot be. */
  async isolate(plan: SpawnPlan): Promise<Planned> {
    const { isolation } = plan;
    const isolated = await this.#isolate(plan);
    const why = this.whyNot(isolation);
    if (why !== undefined) return { ok: false, error: why };
    if (!isolated.ok) return isolated;
    const walled =
      isolation === "container" ? isolated.plan : await this.#limiter.grouped(isolated.plan);
    const tooLong = whyTooLong(walled);
    return tooLong === undefined ? { ok: true, plan: walled } : { ok: false, error: tooLong };
  }

  /** Acquires what a sandboxed process needs; returns its release. */
  hold({ isolation, container, guarded }: Held): () => void {
    if (isolation === "none") return () => {};
    const release = container === undefined ? undefined : this.#keeper.hold(container);
    if (guarded !== undefined) this.#standing.add(guarded);
    for (const root of this.#place.roots) {
      const found = guardsOf(root, look, (path) => this.#standing.allows(path));
      if (found.ok) this.#placeholders.hold(root, found.guards);
    }
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      release?.();
      this.#held -= 1;
      if (this.#held === 0) this.#letGo();
    };
  }

  /** Holds for each running terminal, and releases what an earlier bridge left. Returns how to stop. */
  watch(pool: WalledPool): () => void {
    const holds = new Map<string, () => void>();
    const add = (terminal: Walled | undefined) => {
      if (terminal === undefined) return;
      const { isolation = "none", container } = terminal.meta;
      const held = container === undefined ? { isolation } : { isolation, container };
      if (isolation !== "none") holds.set(terminal.id, this.hold(held));
    };
    for (const terminal of pool.running()) add(terminal);
    if (this.#held === 0) this.#letGo();
    void this.#keeper.sweep();
    void this.#limiter.sweep(false);
    return pool.onEvent(({ event, terminal: { id } }) => {
      if (event === "created") {
        add(pool.get(id));
        if (this.#isDockers(pool.get(id))) setTimeout(() => pool.nudgeSize(id), NUDGE_MS).unref();
      }
      if (event !== "closed") return;
      holds.get(id)?.();
      holds.delete(id);
      void this.#limiter.sweep(false);
    });
  }

  /** Whether a crashed bridge left something for `end` to remove: every sandbox has placeholders. */
  get isLeft(): boolean {
    return this.#placeholders.isHeld;
  }

  /** Releases everything, after all processes have ended. */
  async end(): Promise<void> {
    this.#letGo();
    await this.#limiter.sweep(true);
    await this.#keeper.sweep();
  }

  #letGo(): void {
    this.#placeholders.release();
    this.#standing.clear();
  }

  #isDockers(terminal: Walled | undefined): boolean {
    const { known } = this.#container;
    const isDocker = known?.ok === true && known.value.tools.runtime === "docker";
    return isDocker && terminal?.meta.container !== undefined;
  }

  #wallOf(level: Exclude<Isolation, "none">): SandboxWall | ContainerWall {
    return level === "sandbox" ? this.#sandbox : this.#container;
  }

  async #isolate(plan: SpawnPlan): Promise<Planned> {
    switch (plan.isolation) {
      case "none":
        return { ok: true, plan: await this.#limiter.limited(plan) };
      case "sandbox":
        return await this.#sandbox.wrap(plan, await this.#limiter.eachProcess("sandbox"));
      case "container":
        return await this.#container.wrap(plan);
    }
  }
}

function nameOf({ runtime, version }: { readonly runtime: string; readonly version: string }) {
  return `${runtime} ${version}`;
}
