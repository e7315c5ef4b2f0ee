// Owns the containers of one workspace: finds out once what they need, then puts every plan into a
// container of its own.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { ProgramResult, RunProgram } from "../../processes/run-program.ts";
import type { PlanResult, SpawnPlan } from "../../terminals/spawn-plan.ts";
import type { Ability, FindTool } from "../find-tool.ts";
import { toUnavailable, formatUnavailable, findTool, CachedCheck } from "../find-tool.ts";
import { readCommitter, formatGitconfig, formatGitignore } from "../git-files.ts";
import type { SandboxLocations, SandboxUser } from "../sandbox-locations.ts";
import { makeFolder, writePrivateFile } from "../../workspace/private-file.ts";
import { folderSizes } from "../sandbox-locations.ts";
import { listGuarded, toOwnFolders, findRootsWithGuards } from "../writable-roots.ts";
import type { IsolationSettings } from "../isolation-settings.ts";
import type { ContainerFacts, ContainerTools, FirstProcess } from "./container-command.ts";
import type { ContainerProgram } from "./container-probe.ts";
import {
  firstProcesses,
  NO_SOURCE,
  probeProgram,
  probeSource,
  explainContainerFailure,
} from "./container-probe.ts";
import { withRemovalWatcher } from "./container-keeper.ts";
import { wrapInContainer, GIT_IGNORED } from "./container-command.ts";

/** The kernel's default of fs.nr_open. */
const MAX_FILES = 1 << 20;
const TRIAL_MS = 30_000;

/** Variables that docker and podman need from the user's environment. */
const CLIENT_VARIABLES =
  /^(?:HOME|PATH|USER|LOGNAME|TMPDIR|XDG_(?:RUNTIME_DIR|CONFIG_HOME|DATA_HOME)|DBUS_SESSION_BUS_ADDRESS|DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY)|CONTAINER_(?:HOST|CONNECTION|SSHKEY)|CONTAINERS_\w+|SSH_AUTH_SOCK)$/;

interface ContainerSetup {
  readonly tools: ContainerTools;
  readonly source: readonly string[];
  readonly git: ContainerFacts["git"];
}

export class ContainerIsolation {
  readonly #locations: SandboxLocations;
  readonly #user: SandboxUser;
  readonly #settings: IsolationSettings;
  readonly #run: RunProgram;
  readonly #find: FindTool;
  readonly #allows: (path: string) => boolean;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #program = new CachedCheck<ContainerProgram>(() =>
    probeProgram(this.#run, this.#settings.container, this.#find, this.#user),
  );
  readonly #setup = new CachedCheck<ContainerSetup>(() => this.#prepare());

  constructor(
    place: SandboxLocations,
    user: SandboxUser,
    settings: IsolationSettings,
    {
      run,
      find,
      environment,
      allows,
    }: {
      readonly run: RunProgram;
      readonly find: FindTool;
      readonly environment: NodeJS.ProcessEnv;
      /** Whether a path may be guarded now. */
      allows(this: void, path: string): boolean;
    },
  ) {
    this.#allows = allows;
    this.#locations = place;
    this.#user = user;
    this.#settings = settings;
    this.#run = run;
    this.#find = find;
    this.#environment = environment;
  }

  /** Whether the configuration names an image or a root file system. */
  get isConfigured(): boolean {
    const { image, rootfs } = this.#settings.container;
    return image !== undefined || rootfs !== undefined;
  }

  /** The result of the last check, if there is one. */
  get lastResult(): Ability<ContainerSetup> | undefined {
    return this.isConfigured ? this.#setup.lastResult : toUnavailable(...NO_SOURCE);
  }

  async getAbility(): Promise<Ability<ContainerSetup>> {
    return await this.#setup.run();
  }

  /** Resolves the container program even without a configured image: containers of earlier runs may be left. */
  async program(): Promise<ContainerProgram | undefined> {
    const ability = await this.programAbility();
    return ability.ok ? ability.value : undefined;
  }

  async programAbility(): Promise<Ability<ContainerProgram>> {
    return await this.#program.run();
  }

  async wrap(plan: SpawnPlan): Promise<PlanResult> {
    const ready = await this.#setup.run();
    if (!ready.ok) return { ok: false, error: formatUnavailable(ready) };
    const { roots } = this.#locations;
    const rooted = findRootsWithGuards(roots, this.#allows);
    if (!rooted.ok) return rooted;
    // A volume's path cannot contain a colon.
    const odd = roots.find((root) => root.includes(":"));
    if (odd !== undefined)
      return {
        ok: false,
        error: `${odd} contains ":", which containers do not allow: use a sandbox`,
      };
    const name = `pairpty-${this.#locations.name.slice(0, 8)}-${randomBytes(6).toString("hex")}`;
    const facts = this.#facts(ready.value, rooted.roots);
    const wrapped = wrapInContainer(plan, facts, this.#settings.limits, name);
    const guarded = listGuarded(rooted.roots);
    return {
      ok: true,
      plan: { ...withRemovalWatcher(wrapped, ready.value.tools, name), guardedPaths: guarded },
    };
  }

  #facts({ tools, source, git }: ContainerSetup, roots: ContainerFacts["roots"]): ContainerFacts {
    return {
      ...tools,
      source,
      git,
      roots,
      hidden: toOwnFolders(this.#locations.ownFolders, this.#locations.roots),
      sizes: folderSizes(this.#settings.limits.memory, totalmem()),
      network: this.#settings.network,
      label: this.#locations.name,
      environment: clientEnvironment(this.#environment),
      envAllowlist: this.#locations.envAllowlist,
      maxLimits: readMaxLimits(),
    };
  }

  async #prepare(): Promise<Ability<ContainerSetup>> {
    const { container } = this.#settings;
    if (!this.isConfigured) return toUnavailable(...NO_SOURCE);
    const program = await this.#program.run();
    if (!program.ok) return program;
    const source = await probeSource(this.#run, container, program.value);
    if (!source.ok) return source;
    const { folder, roots } = this.#locations;
    const committer = await readCommitter(this.#run, this.#find("git"));
    const git = { config: join(folder, "gitconfig"), ignore: join(folder, "gitignore") };
    makeFolder(folder);
    writePrivateFile(git.config, formatGitconfig(committer, { roots, ignored: GIT_IGNORED }));
    writePrivateFile(git.ignore, formatGitignore());
    const first = await this.#tryFirstProcesses(program.value, { source: source.value, git });
    if (!first.ok) return first;
    const tools = { ...program.value, firstProcess: first.value };
    return { ok: true, value: { tools, source: source.value, git } };
  }

  /** Starts trial containers until one runs, the best first process first. */
  async #tryFirstProcesses(
    program: ContainerProgram,
    made: Pick<ContainerSetup, "source" | "git">,
  ): Promise<Ability<FirstProcess>> {
    let last: ProgramResult = { is: "missing" };
    for (const first of firstProcesses(program.runtime, findTool)) {
      const facts = {
        ...this.#facts({ ...made, tools: { ...program, firstProcess: first } }, []),
        hidden: [],
      };
      const trial = wrapInContainer(TRIAL, facts, this.#settings.limits, this.#trialName);
      const [file, ...args] = trial.argv;
      const at = args.indexOf("run") + 1;
      last = await this.#run(file, args.toSpliced(at, 0, "--rm"), TRIAL_MS);
      if (last.is === "ended" && last.code === 0) return { ok: true, value: first };
    }
    return explainContainerFailure(program.runtime, last);
  }

  get #trialName(): string {
    return `pairpty-${this.#locations.name.slice(0, 8)}-trial-${randomBytes(4).toString("hex")}`;
  }
}

/** Runs with pipes, like a command. */
const TRIAL: SpawnPlan = {
  command: ["/bin/sh", "-c", ":"],
  argv: ["/bin/sh", "-c", ":"],
  cwd: "/",
  env: {},
  added: {},
  size: { cols: 80, rows: 24 },
  lane: "command",
  lifetime: "held",
  retain: undefined,
  isolation: "container",
  startedBy: undefined,
};

function clientEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && CLIENT_VARIABLES.test(name) ? [[name, value] as const] : [],
    ),
  );
}

/** Returns "soft:hard" limits of this process; the kernel's highest pid caps processes, as in podman. */
function readMaxLimits(): ContainerFacts["maxLimits"] {
  const text = readFileSync("/proc/self/limits", "utf8");
  const numbers = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  const of = (name: string, most: number) => {
    const [, soft = "", hard = ""] = new RegExp(`^${name} +(\\S+) +(\\S+)`, "m").exec(text) ?? [];
    const bounded = (value: string) =>
      Math.min(Number(value.replace("unlimited", "Infinity")), most);
    return `${bounded(soft)}:${bounded(hard)}`;
  };
  return { openFiles: of("Max open files", MAX_FILES), processes: of("Max processes", numbers) };
}
