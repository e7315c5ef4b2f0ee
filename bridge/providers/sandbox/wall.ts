// Owns the sandbox of one workspace: finds out once what it needs, then wraps every plan in it.

import { existsSync, realpathSync } from "node:fs";
import type { RunProgram } from "../../processes/program.ts";
import type { Planned, SpawnPlan } from "../../terminals/plan.ts";
import { isInside } from "../../workspace/inside.ts";
import { guardedIn } from "../roots.ts";
import { sentences } from "../ability.ts";
import type { Ability } from "../ability.ts";
import type { Find } from "../find-tool.ts";
import { committerOf } from "../git-files.ts";
import type { WallPlace, WallUser } from "../place.ts";
import { Remembered } from "../remembered.ts";
import type { IsolationSettings, Limits } from "../settings.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { gatherSandbox } from "./gather.ts";
import type { SandboxTools } from "./probe.ts";
import { probeSandbox } from "./probe.ts";
import { writeSupport } from "./support.ts";
import { ROOT_FOLDERS, SYSTEM_FOLDERS } from "./tool-folders.ts";
import { sandboxed } from "./wrap.ts";

interface Ready {
  readonly tools: SandboxTools;
  readonly support: Support;
}

export class SandboxWall {
  readonly #place: WallPlace;
  readonly #user: WallUser;
  readonly #settings: IsolationSettings;
  readonly #run: RunProgram;
  readonly #find: Find;
  readonly #path: string;
  readonly #allows: (path: string) => boolean;
  readonly #ready = new Remembered<Ready>(() => this.#prepare());

  constructor(
    place: WallPlace,
    user: WallUser,
    settings: IsolationSettings,
    {
      run,
      find,
      path,
      allows,
    }: {
      readonly run: RunProgram;
      readonly find: Find;
      /** The user's PATH. */
      readonly path: string;
      /** Whether a path may be guarded now. */
      allows(this: void, path: string): boolean;
    },
  ) {
    this.#path = path;
    this.#allows = allows;
    this.#place = place;
    this.#user = user;
    this.#settings = settings;
    this.#run = run;
    this.#find = find;
  }

  /** The result of the last check, if there is one. */
  get known(): Ability<Ready> | undefined {
    return this.#ready.known;
  }

  async ability(): Promise<Ability<Ready>> {
    return await this.#ready.answer();
  }

  /** Wraps a plan; `limits` are those of each process. */
  async wrap(plan: SpawnPlan, limits: Limits): Promise<Planned> {
    const ready = await this.#ready.answer();
    if (!ready.ok) return { ok: false, error: sentences(ready) };
    const { roots, ownFolders, letThrough } = this.#place;
    const { readable, network, limits: all } = this.#settings;
    const gathered = gatherSandbox({
      ...ready.value,
      user: this.#user,
      roots,
      ownFolders,
      readable,
      // Not a PATH from the request: its folders become readable.
      path: Object.hasOwn(plan.added, "PATH") ? this.#path : (plan.env["PATH"] ?? ""),
      network,
      memory: all.memory,
      letThrough,
      allows: this.#allows,
      prompt: plan.lane === "command" ? [] : plan.argv,
    });
    if (!gathered.ok) return gathered;
    const { facts } = gathered;
    const unseen = isSeen(plan.argv[0], facts) ? undefined : plan.argv[0];
    if (unseen !== undefined) {
      const error = `${unseen} is not visible in the sandbox. Add its folder to sandbox.readable`;
      return { ok: false, error };
    }
    return {
      ok: true,
      plan: { ...sandboxed(plan, facts, limits), guarded: guardedIn(facts.roots) },
    };
  }

  async #prepare(): Promise<Ability<Ready>> {
    const tools = await probeSandbox(this.#run, this.#find);
    if (!tools.ok) return tools;
    const { folder, shell, roots } = this.#place;
    const committer = await committerOf(this.#run, this.#find("git"));
    const support = writeSupport(folder, {
      user: this.#user,
      shell,
      committer,
      roots,
      readable: this.#settings.readable,
      architecture: process.arch,
    });
    return { ok: true, value: { tools: tools.value, support } };
  }
}

/** Whether the sandbox shows a program and the target of its link. */
function isSeen(program: string, { roots, readable }: SandboxFacts): boolean {
  const shown = [
    ...SYSTEM_FOLDERS,
    ...ROOT_FOLDERS,
    "/etc/alternatives",
    ...readable,
    ...roots.map(({ path }) => path),
  ];
  const paths = [program, ...(existsSync(program) ? [realpathSync(program)] : [])];
  return paths.every((path) => shown.some((folder) => isInside(path, folder)));
}
