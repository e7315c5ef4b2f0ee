// Owns the containers of one workspace: finds out once what they need, then puts every plan into a
// container of its own.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { Ran, RunProgram } from "../../processes/program.ts";
import type { Planned, SpawnPlan } from "../../terminals/plan.ts";
import type { Ability } from "../ability.ts";
import { cannot, sentences } from "../ability.ts";
import type { Find } from "../find-tool.ts";
import { findTool } from "../find-tool.ts";
import { committerOf, gitconfigText, gitignoreText } from "../git-files.ts";
import type { WallPlace, WallUser } from "../place.ts";
import { makeFolder } from "../../workspace/make-folder.ts";
import { writePrivateFile } from "../../workspace/private-file.ts";
import { Remembered } from "../remembered.ts";
import { folderSizes } from "../private-folders.ts";
import { guardedIn, ownFolders, rootsWithGuards } from "../roots.ts";
import type { IsolationSettings } from "../settings.ts";
import type { ContainerFacts, ContainerTools, FirstProcess } from "./facts.ts";
import type { ContainerProgram } from "./probe.ts";
import { firstProcesses, NO_SOURCE, probeProgram, probeSource, whyNoContainer } from "./probe.ts";
import { watched } from "./watched.ts";
import { contained, GIT_IGNORED } from "./wrap.ts";

/** The kernel's default of fs.nr_open. */
const MOST_FILES = 1 << 20;
const TRIAL_MS = 30_000;

/** Variables that docker and podman need from the user's environment. */
const CLIENTS =
  /^(?:HOME|PATH|USER|LOGNAME|TMPDIR|XDG_(?:RUNTIME_DIR|CONFIG_HOME|DATA_HOME)|DBUS_SESSION_BUS_ADDRESS|DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY)|CONTAINER_(?:HOST|CONNECTION|SSHKEY)|CONTAINERS_\w+|SSH_AUTH_SOCK)$/;

interface Ready {
  readonly tools: ContainerTools;
  readonly source: readonly string[];
  readonly git: ContainerFacts["git"];
}

export class ContainerWall {
  readonly #place: WallPlace;
  readonly #user: WallUser;
  readonly #settings: IsolationSettings;
  readonly #run: RunProgram;
  readonly #find: Find;
  readonly #allows: (path: string) => boolean;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #program = new Remembered<ContainerProgram>(() =>
    probeProgram(this.#run, this.#settings.container, this.#find, this.#user),
  );
  readonly #ready = new Remembered<Ready>(() => this.#prepare());

  constructor(
    place: WallPlace,
    user: WallUser,
    settings: IsolationSettings,
    {
      run,
      find,
      environment,
      allows,
    }: {
      readonly run: RunProgram;
      readonly find: Find;
      readonly environment: NodeJS.ProcessEnv;
      /** Whether a path may be guarded now. */
      allows(this: void, path: string): boolean;
    },
  ) {
    this.#allows = allows;
    this.#place = place;
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
  get known(): Ability<Ready> | undefined {
    return this.isConfigured ? this.#ready.known : cannot(...NO_SOURCE);
  }

  async ability(): Promise<Ability<Ready>> {
    return await this.#ready.answer();
  }

  /** Resolves the container program even without a configured image: containers of earlier runs may be left. */
  async program(): Promise<ContainerProgram | undefined> {
    const ability = await this.programAbility();
    return ability.ok ? ability.value : undefined;
  }

  async programAbility(): Promise<Ability<ContainerProgram>> {
    return await this.#program.answer();
  }

  async wrap(plan: SpawnPlan): Promise<Planned> {
    const ready = await this.#ready.answer();
    if (!ready.ok) return { ok: false, error: sentences(ready) };
    const { roots } = this.#place;
    const rooted = rootsWithGuards(roots, this.#allows);
    if (!rooted.ok) return rooted;
    // A volume's path cannot contain a colon.
    const odd = roots.find((root) => root.includes(":"));
    if (odd !== undefined)
      return {
        ok: false,
        error: `${odd} contains ":", which containers do not allow: use a sandbox`,
      };
    const name = `pairpty-${this.#place.name.slice(0, 8)}-${randomBytes(6).toString("hex")}`;
    const facts = this.#facts(ready.value, rooted.roots);
    const walled = contained(plan, facts, this.#settings.limits, name);
    const guarded = guardedIn(rooted.roots);
    return { ok: true, plan: { ...watched(walled, ready.value.tools, name), guarded } };
  }

  #facts({ tools, source, git }: Ready, roots: ContainerFacts["roots"]): ContainerFacts {
    return {
      ...tools,
      source,
      git,
      roots,
      hidden: ownFolders(this.#place.ownFolders, this.#place.roots),
      sizes: folderSizes(this.#settings.limits.memory, totalmem()),
      network: this.#settings.network,
      label: this.#place.name,
      environment: clientEnvironment(this.#environment),
      letThrough: this.#place.letThrough,
      ceilings: ceilings(),
    };
  }

  async #prepare(): Promise<Ability<Ready>> {
    const { container } = this.#settings;
    if (!this.isConfigured) return cannot(...NO_SOURCE);
    const program = await this.#program.answer();
    if (!program.ok) return program;
    const source = await probeSource(this.#run, container, program.value);
    if (!source.ok) return source;
    const { folder, roots } = this.#place;
    const committer = await committerOf(this.#run, this.#find("git"));
    const git = { config: join(folder, "gitconfig"), ignore: join(folder, "gitignore") };
    makeFolder(folder);
    writePrivateFile(git.config, gitconfigText(committer, { roots, ignored: GIT_IGNORED }));
    writePrivateFile(git.ignore, gitignoreText());
    const first = await this.#try(program.value, { source: source.value, git });
    if (!first.ok) return first;
    const tools = { ...program.value, first: first.value };
    return { ok: true, value: { tools, source: source.value, git } };
  }

  /** Starts trial containers until one runs, the best first process first. */
  async #try(
    program: ContainerProgram,
    made: Pick<Ready, "source" | "git">,
  ): Promise<Ability<FirstProcess>> {
    let last: Ran = { is: "missing" };
    for (const first of firstProcesses(program.runtime, findTool)) {
      const facts = { ...this.#facts({ ...made, tools: { ...program, first } }, []), hidden: [] };
      const trial = contained(TRIAL, facts, this.#settings.limits, this.#trialName);
      const [file, ...args] = trial.argv;
      const at = args.indexOf("run") + 1;
      last = await this.#run(file, args.toSpliced(at, 0, "--rm"), TRIAL_MS);
      if (last.is === "ended" && last.code === 0) return { ok: true, value: first };
    }
    return whyNoContainer(program.runtime, last);
  }

  get #trialName(): string {
    return `pairpty-${this.#place.name.slice(0, 8)}-trial-${randomBytes(4).toString("hex")}`;
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
      value !== undefined && CLIENTS.test(name) ? [[name, value] as const] : [],
    ),
  );
}

/** Returns "soft:hard" limits of this process; the kernel's highest pid caps processes, as in podman. */
function ceilings(): ContainerFacts["ceilings"] {
  const text = readFileSync("/proc/self/limits", "utf8");
  const numbers = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  const of = (name: string, most: number) => {
    const [, soft = "", hard = ""] = new RegExp(`^${name} +(\\S+) +(\\S+)`, "m").exec(text) ?? [];
    const bounded = (value: string) =>
      Math.min(Number(value.replace("unlimited", "Infinity")), most);
    return `${bounded(soft)}:${bounded(hard)}`;
  };
  return { openFiles: of("Max open files", MOST_FILES), processes: of("Max processes", numbers) };
}
