// Owns the sandbox of one workspace: what it needs is found out once, then every plan is put behind
// it.

import { existsSync, realpathSync } from "node:fs";
import type { RunProgram } from "../../processes/program.ts";
import type { Planned, SpawnPlan } from "../../terminals/plan.ts";
import { isInside } from "../../workspace/inside.ts";
import { sentences } from "../ability.ts";
import type { Ability } from "../ability.ts";
import { findTool } from "../find-tool.ts";
import type { WallPlace, WallUser } from "../place.ts";
import { Remembered } from "../remembered.ts";
import type { IsolationSettings, Limits } from "../settings.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { gatherSandbox } from "./gather.ts";
import type { SandboxTools } from "./probe.ts";
import { probeSandbox } from "./probe.ts";
import type { Committer } from "./support.ts";
import { writeSupport } from "./support.ts";
import { ROOT_FOLDERS, SYSTEM_FOLDERS } from "./tool-folders.ts";
import { sandboxed } from "./wrap.ts";

const GIT_MS = 3_000;

interface Ready {
  readonly tools: SandboxTools;
  readonly support: Support;
}

export class SandboxWall {
  readonly #place: WallPlace;
  readonly #user: WallUser;
  readonly #settings: IsolationSettings;
  readonly #run: RunProgram;
  readonly #ready = new Remembered<Ready>(() => this.#prepare());

  constructor(place: WallPlace, user: WallUser, settings: IsolationSettings, run: RunProgram) {
    this.#place = place;
    this.#user = user;
    this.#settings = settings;
    this.#run = run;
  }

  /** What is known by now. */
  get known(): Ability<Ready> | undefined {
    return this.#ready.known;
  }

  async ability(): Promise<Ability<Ready>> {
    return await this.#ready.answer();
  }

  /** `limits` are those of each process. */
  async wrap(plan: SpawnPlan, limits: Limits): Promise<Planned> {
    const ready = await this.#ready.answer();
    if (!ready.ok) return { ok: false, error: sentences(ready) };
    const { roots, ownFolders, letThrough } = this.#place;
    const { readable, network } = this.#settings;
    const gathered = gatherSandbox({
      ...ready.value,
      user: this.#user,
      roots,
      ownFolders,
      readable,
      path: plan.env["PATH"] ?? "",
      network,
      letThrough,
      prompt: plan.lane === "command" ? [] : plan.argv,
    });
    if (!gathered.ok) return gathered;
    const { facts } = gathered;
    const unseen = isSeen(plan.argv[0], facts) ? undefined : plan.argv[0];
    if (unseen !== undefined) {
      const error = `${unseen} is not visible in the sandbox. Add its folder to sandbox.readable`;
      return { ok: false, error };
    }
    return { ok: true, plan: sandboxed(plan, facts, limits) };
  }

  async #prepare(): Promise<Ability<Ready>> {
    const tools = await probeSandbox(this.#run);
    if (!tools.ok) return tools;
    const support = writeSupport(this.#place.folder, {
      user: this.#user,
      shell: this.#place.shell,
      committer: await this.#committer(),
      roots: this.#place.roots,
      architecture: process.arch,
    });
    return { ok: true, value: { tools: tools.value, support } };
  }

  /** Who the user's commits are by: the one thing of their git settings that is needed inside. */
  async #committer(): Promise<Committer> {
    const git = findTool("git");
    if (git === undefined) return {};
    const get = async (key: string) => {
      const ran = await this.#run(git, ["config", "--global", "--get", key], GIT_MS);
      return ran.is === "ended" && ran.code === 0 ? ran.out : undefined;
    };
    const [name, email] = await Promise.all([get("user.name"), get("user.email")]);
    return { name, email };
  }
}

/** The program and what its link leads to. */
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
