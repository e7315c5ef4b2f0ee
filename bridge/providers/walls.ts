// Owns the walls of one workspace: which level a plan gets, whether that level can be had here, and
// what stands around it while it runs. A level that cannot be had is refused, never replaced by a
// thinner one. Works without a bridge: `isolate`, then `hold` while it runs.

import type { Isolation } from "../../protocol/isolation.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import { Ends } from "../ends.ts";
import type { RunProgram } from "../processes/program.ts";
import { runProgram } from "../processes/program.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { sentences } from "./ability.ts";
import { guardsOf } from "./guards.ts";
import { limitWords } from "./limits.ts";
import { look } from "./look.ts";
import type { WallPlace, WallUser } from "./place.ts";
import { wallUser, whyNotRoot } from "./place.ts";
import { Placeholders } from "./placeholders.ts";
import { findTool } from "./sandbox/probe.ts";
import { SandboxWall } from "./sandbox/wall.ts";
import type { IsolationSettings } from "./settings.ts";

/** The terminals that stand behind walls. */
export interface WalledPool {
  running(): Pick<PoolTerminal, "id" | "meta">[];
  get(id: string): Pick<PoolTerminal, "id" | "meta"> | undefined;
  onEvent(listener: (event: TerminalEvent) => void): () => void;
}

/** Other than whoever runs this, for tests. */
export interface WallPorts {
  readonly run: RunProgram;
  readonly user: WallUser;
}

export class Walls {
  readonly #place: WallPlace;
  readonly #settings: IsolationSettings;
  readonly #sandbox: SandboxWall;
  readonly #placeholders: Placeholders;
  #held = 0;

  constructor(
    place: WallPlace,
    settings: IsolationSettings,
    { run = runProgram, user = wallUser() }: Partial<WallPorts> = {},
  ) {
    this.#place = place;
    this.#settings = settings;
    this.#sandbox = new SandboxWall(place, user, settings, run);
    this.#placeholders = new Placeholders(place.placeholders, place.name);
  }

  /** The least of whatever agents start. */
  get floor(): Isolation {
    return this.#settings.floor;
  }

  /** Why a level cannot be had, as far as is known by now: a question need not be asked then. */
  whyNot(level: Isolation): string | undefined {
    if (level === "none") return undefined;
    const wrong = this.#place.roots
      .map((root) => whyNotRoot(root))
      .find((why) => why !== undefined);
    if (wrong !== undefined) return wrong;
    if (level === "container") return "Level container does not exist yet";
    const { known } = this.#sandbox;
    return known?.ok === false ? sentences(known) : undefined;
  }

  /** The plan behind the wall that it asks for, or why there is none. */
  async isolate(plan: SpawnPlan): Promise<Planned> {
    const { isolation } = plan;
    if (isolation === "none") return { ok: true, plan: this.#limited(plan) };
    const isolated = await this.#sandbox.wrap(plan);
    const why = this.whyNot(isolation);
    return why === undefined ? isolated : { ok: false, error: why };
  }

  /** What must be there while something behind a wall runs. Returns its end. */
  hold(level: Isolation): () => void {
    if (level === "none") return () => {};
    for (const root of this.#place.roots) {
      const guarded = guardsOf(root, look);
      if (guarded.ok) this.#placeholders.hold(root, guarded.guards);
    }
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      if (this.#held === 0) this.#placeholders.release();
    };
  }

  /** Holds for each terminal as long as it runs; what a bridge of before left is let go of. */
  watch(pool: WalledPool): () => void {
    const holds = new Map<string, () => void>();
    const add = (terminal: Pick<PoolTerminal, "id" | "meta"> | undefined) => {
      const level = terminal?.meta.isolation ?? "none";
      if (terminal !== undefined && level !== "none") holds.set(terminal.id, this.hold(level));
    };
    for (const terminal of pool.running()) add(terminal);
    if (this.#held === 0) this.#placeholders.release();
    const ends = new Ends();
    ends.own(
      pool.onEvent(({ event, terminal: { id } }) => {
        if (event === "created") add(pool.get(id));
        if (event === "closed") {
          holds.get(id)?.();
          holds.delete(id);
        }
      }),
    );
    return () => ends.dispose();
  }

  #limited(plan: SpawnPlan): SpawnPlan {
    const words = limitWords(findTool("prlimit"), this.#settings.limits, "none");
    const [first, ...rest] = [...words, ...plan.argv];
    return first === undefined ? plan : { ...plan, argv: [first, ...rest] };
  }
}
