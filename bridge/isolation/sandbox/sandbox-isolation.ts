// Owns the sandbox of one workspace: finds out once what it needs, then wraps every plan in it.

import { existsSync, realpathSync } from "node:fs";
import type { RunProgram } from "../../processes/run-program.ts";
import type { PlanResult, SpawnPlan } from "../../terminals/spawn-plan.ts";
import { isInside } from "../../workspace/folders.ts";
import { listGuarded } from "../writable-roots.ts";
import type { Ability, FindTool } from "../find-tool.ts";
import { formatUnavailable, CachedCheck } from "../find-tool.ts";
import { readCommitter } from "../git-files.ts";
import type { SandboxLocations, SandboxUser } from "../sandbox-locations.ts";
import type { IsolationSettings, Limits } from "../isolation-settings.ts";
import type { SandboxFacts, SandboxFiles } from "./sandbox-command.ts";
import { gatherSandboxFacts } from "./gather-facts.ts";
import type { SandboxTools } from "./sandbox-probe.ts";
import { probeSandbox } from "./sandbox-probe.ts";
import { writeSandboxFiles } from "./sandbox-files.ts";
import { ROOT_FOLDERS, SYSTEM_FOLDERS } from "./sandbox-mounts.ts";
import { wrapInSandbox } from "./sandbox-command.ts";

interface SandboxSetup {
  readonly tools: SandboxTools;
  readonly support: SandboxFiles;
}

export class SandboxIsolation {
  readonly #locations: SandboxLocations;
  readonly #user: SandboxUser;
  readonly #settings: IsolationSettings;
  readonly #run: RunProgram;
  readonly #find: FindTool;
  readonly #path: string;
  readonly #allows: (path: string) => boolean;
  readonly #setup = new CachedCheck<SandboxSetup>(() => this.#prepare());

  constructor(
    place: SandboxLocations,
    user: SandboxUser,
    settings: IsolationSettings,
    {
      run,
      find,
      path,
      allows,
    }: {
      readonly run: RunProgram;
      readonly find: FindTool;
      /** The user's PATH. */
      readonly path: string;
      /** Whether a path may be guarded now. */
      allows(this: void, path: string): boolean;
    },
  ) {
    this.#path = path;
    this.#allows = allows;
    this.#locations = place;
    this.#user = user;
    this.#settings = settings;
    this.#run = run;
    this.#find = find;
  }

  /** The result of the last check, if there is one. */
  get lastResult(): Ability<SandboxSetup> | undefined {
    return this.#setup.lastResult;
  }

  async getAbility(): Promise<Ability<SandboxSetup>> {
    return await this.#setup.run();
  }

  /** Wraps a plan; `limits` are those of each process. */
  async wrap(plan: SpawnPlan, limits: Limits): Promise<PlanResult> {
    const ready = await this.#setup.run();
    if (!ready.ok) return { ok: false, error: formatUnavailable(ready) };
    const { roots, ownFolders, envAllowlist } = this.#locations;
    const { readable, network, limits: all } = this.#settings;
    const gathered = gatherSandboxFacts({
      ...ready.value,
      user: this.#user,
      roots,
      ownFolders,
      readable,
      // Not a PATH from the request: its folders become readable.
      path: Object.hasOwn(plan.added, "PATH") ? this.#path : (plan.env["PATH"] ?? ""),
      network,
      memory: all.memory,
      envAllowlist,
      allows: this.#allows,
      prompt: plan.lane === "command" ? [] : plan.argv,
    });
    if (!gathered.ok) return gathered;
    const { facts } = gathered;
    const unseen = isVisible(plan.argv[0], facts) ? undefined : plan.argv[0];
    if (unseen !== undefined) {
      const error = `${unseen} is not visible in the sandbox. Add its folder to sandbox.readable`;
      return { ok: false, error };
    }
    return {
      ok: true,
      plan: { ...wrapInSandbox(plan, facts, limits), guardedPaths: listGuarded(facts.roots) },
    };
  }

  async #prepare(): Promise<Ability<SandboxSetup>> {
    const tools = await probeSandbox(this.#run, this.#find);
    if (!tools.ok) return tools;
    const { folder, shell, roots } = this.#locations;
    const committer = await readCommitter(this.#run, this.#find("git"));
    const support = writeSandboxFiles(folder, {
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
function isVisible(program: string, { roots, readable }: SandboxFacts): boolean {
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
