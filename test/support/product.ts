// Owns running the product in tests: the built command line in folders of its own, ended whole.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findSystemCode } from "../../bridge/errors.ts";
import type { Ready, ReadyLine } from "../../bridge/doors/control/control-requests.ts";
import { COMPILED } from "./environment.ts";
import { askRelay } from "./http.ts";
import { readCommand, endTree, listProcesses } from "./processes.ts";
import type { Result } from "./verbs.ts";
import { Verbs, onlyAsks } from "./verbs.ts";
import { PATIENCE_MS, untilWoken, within } from "./waiting.ts";

const LAST_WORDS_MS = 2_000;

export const CLI = join(
  dirname(fileURLToPath(import.meta.url)),
  "..",
  "..",
  "dist",
  "bridge",
  "cli.js",
);

const verbs = new Verbs(CLI);

/** A place that nothing else uses: a folder to work in, and state and runtime folders of its own. */
export class Place {
  readonly root: string;
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly #running = new Set<Product>();

  /** `home`: one that does not exist yet, where its name is seen. */
  constructor(extra: NodeJS.ProcessEnv = {}, home?: string) {
    if (home !== undefined) mkdirSync(home);
    this.root = home ?? mkdtempSync(join(tmpdir(), "pp-"));
    this.folder = join(this.root, "work");
    mkdirSync(this.folder);
    mkdirSync(join(this.root, "run"), { mode: 0o700 });
    // What one place compiled serves the next, as it does for a person's next start.
    linkFiles(COMPILED, this.#compiled);
    this.environment = {
      ...process.env,
      HOME: this.root,
      XDG_STATE_HOME: join(this.root, "state"),
      XDG_CONFIG_HOME: join(this.root, "config"),
      XDG_RUNTIME_DIR: join(this.root, "run"),
      SHELL: "/bin/bash",
      PS1: "$ ",
      ...extra,
    };
  }

  /** `--code` with the code of the bridge that was started last. */
  get code(): string[] {
    const product = [...this.#running].at(-1);
    return product === undefined ? [] : ["--code", product.ready.code];
  }

  /** Starts the bridge in the foreground and waits until it is ready. */
  async start(...args: string[]): Promise<Product> {
    return await this.startFrom(CLI, ...args);
  }

  /** The same from another build. */
  async startFrom(cli: string, ...args: string[]): Promise<Product> {
    const product = new Product(this, cli, ["--json", "--no-open", ...args]);
    this.#running.add(product);
    await product.becomesReady();
    return product;
  }

  /** Runs a verb to its end, in a process of its own where that can make a difference. */
  async run(args: string[], extra: NodeJS.ProcessEnv = {}, input?: string): Promise<Result> {
    return onlyAsks(args, { ...this.environment, ...extra })
      ? await this.ask(args, extra, input)
      : await this.runFrom(CLI, args, extra, input);
  }

  /** The same in this process: for what asks and ends, and for mistakes in the call. */
  async ask(args: string[], extra: NodeJS.ProcessEnv = {}, input = ""): Promise<Result> {
    return await this.askIn(this.folder, args, extra, input);
  }

  /** The same from another folder. */
  async askIn(
    cwd: string,
    args: string[],
    extra: NodeJS.ProcessEnv = {},
    input = "",
  ): Promise<Result> {
    const environment = { ...this.environment, ...extra };
    return await verbs.run({ args, cwd, environment, input });
  }

  async runFrom(
    cli: string,
    args: string[],
    extra: NodeJS.ProcessEnv = {},
    input = "",
  ): Promise<Result> {
    const child = this.spawn(cli, args, extra);
    child.stdin?.end(input);
    const stdout = collect(child, "stdout");
    const stderr = collect(child, "stderr");
    const code = await waitForExit(child);
    return { code, stdout: stdout(), stderr: stderr() };
  }

  spawn(cli: string, args: string[], extra: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [cli, ...args], {
      cwd: this.folder,
      env: { ...this.environment, ...extra },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  /** The recorded processes of the embedded relay: its own and workerd's. */
  relayProcesses(): { port: number; processes: { pid: number }[] } {
    return JSON.parse(readFileSync(join(this.stateFolder(), "relay.json"), "utf8"));
  }

  /** Pids of this place's processes that run a script of this name. */
  processesRunning(script: string): number[] {
    return listProcesses(this.root).filter((pid) => readCommand(pid)[1]?.endsWith(`/${script}`));
  }

  readCommand(pid: number): string {
    return readCommand(pid).join(" ");
  }

  /** What pairpty has in its state folder, beside what it compiled. */
  states(): string[] {
    return readdirSync(join(this.root, "state", "pairpty")).filter((name) => name !== "compiled");
  }

  stateFolder(): string {
    const all = join(this.root, "state", "pairpty", "workspaces");
    const [first] = readdirSync(all);
    if (first === undefined) throw new Error("no workspace has been started here");
    return join(all, first);
  }

  runtimeFolder(): string {
    const all = join(this.root, "run", "pairpty");
    const [first] = readdirSync(all);
    if (first === undefined) throw new Error("no workspace has been started here");
    return join(all, first);
  }

  get #compiled(): string {
    return join(this.root, "state", "pairpty", "compiled");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const product of this.#running) await product.stop();
    linkFiles(this.#compiled, COMPILED);
    // A bridge that a test killed left these for a next one, which will not come.
    for (const pid of listProcesses(this.root)) endTree(pid);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Those that the other folder lacks; two that do so at once are both content. */
function linkFiles(from: string, to: string): void {
  for (const folder of [from, to]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from).filter((each) => each.endsWith(".bin"))) {
    try {
      linkSync(join(from, name), join(to, name));
    } catch (error) {
      if (findSystemCode(error) !== "EEXIST" && findSystemCode(error) !== "ENOENT") throw error;
    }
  }
}

export class Product {
  readonly child: ChildProcess;
  readonly events: Record<string, unknown>[] = [];
  readonly stderr: () => string;
  readonly #place: Place;
  readonly #watchers = new Set<() => void>();
  #ended = false;

  constructor(place: Place, cli: string, args: string[]) {
    this.#place = place;
    this.child = place.spawn(cli, args);
    this.stderr = collect(this.child, "stderr");
    if (this.child.stdout === null) throw new Error("no stdout");
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.events.push(JSON.parse(line));
      for (const watcher of this.#watchers) watcher();
    });
    this.child.once("exit", () => {
      this.#ended = true;
      for (const watcher of this.#watchers) watcher();
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("not started");
    return this.child.pid;
  }

  get ready(): ReadyLine {
    const found = this.events.find(({ event }) => event === "ready");
    if (found === undefined) throw new Error("not ready");
    return found as unknown as ReadyLine;
  }

  /** What anybody may be told at its socket: all but the code. */
  get publicReady(): Ready {
    const { code: _code, ...rest } = this.ready;
    return rest;
  }

  async becomesReady(): Promise<void> {
    await this.event("ready");
  }

  /** The first event of this name from `from` on. */
  async event(
    name: string,
    { from = 0, timeoutMs = PATIENCE_MS } = {},
  ): Promise<Record<string, unknown>> {
    const found = () => this.events.slice(from).find(({ event }) => event === name);
    return await untilWoken(
      this.#watchers,
      found,
      timeoutMs,
      () => {
        const state = this.#ended ? "ended" : "runs";
        return `no ${name} event; the bridge ${state}. stderr:\n${this.stderr()}`;
      },
      () => this.#ended,
    );
  }

  /** The pty host that this bridge is a client of. */
  hostPid(): number {
    const [host] = this.#place.processesRunning("pty-host.js");
    if (host === undefined) throw new Error("no pty host runs here");
    return host;
  }

  async http(
    path: string,
    init: { method?: string; body?: string; token?: string } = {},
  ): Promise<Response> {
    const { relay, workspace, tokens } = this.ready;
    const { token = tokens.edit, ...rest } = init;
    return await askRelay(`${relay}/w/${workspace}${path}`, {
      ...rest,
      headers: { authorization: `Bearer ${token}` },
    });
  }

  async open(
    request: object = {},
  ): Promise<{ id: string; epoch: number } & Record<string, unknown>> {
    const response = await this.http("/pty/spawn", {
      method: "POST",
      body: JSON.stringify(request),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return await response.json();
  }

  async stop(): Promise<number | null> {
    if (!this.#ended) this.child.kill("SIGTERM");
    return await waitForExit(this.child);
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await waitForExit(this.child);
  }
}

function collect(child: ChildProcess, name: "stdout" | "stderr"): () => string {
  let text = "";
  child[name]?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

async function waitForExit(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = new Promise<number | null>((resolve) => {
    // With the last of what it printed, unless somebody that it started goes on holding the pipes.
    child.once("close", resolve);
    child.once("exit", (code) => setTimeout(resolve, LAST_WORDS_MS, code));
  });
  try {
    return await within(exit, "the process did not end");
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}
