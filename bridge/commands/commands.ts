// Owns the commands that run with pipes: starts them from a plan, keeps the last finished ones
// readable, and kills what they leave behind. They end with their bridge. Also owns real pipes for
// the output of commands.

import type { StdioOptions } from "node:child_process";
import { spawn, execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { KiB } from "../../protocol/limits.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { formatStartFailure } from "../resource-errors.ts";
import { PROCESS_TAG_ENV, formatProcessTag, RUN_PREFIX, sweepTags } from "../sweep.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import { CommandRun } from "./command-run.ts";
import type { KeptOutputLimits } from "./kept-output.ts";

/** Number of finished runs that stay readable, and for how long. */
export const FINISHED_KEPT = 20;
export const FINISHED_MS = 10 * 60_000;
/** Delay of one scan of all processes, for all runs dropped until then. */
const SWEEP_MS = 30_000;

/** Bytes kept of each stream. An agent gets 10,000 characters unless it asks for more. */
export const KEPT_OUTPUT_LIMITS: KeptOutputLimits = { head: 64 * KiB, tail: 448 * KiB };

export type RunPlan = Pick<SpawnPlan, "argv" | "cwd" | "env" | "input"> & {
  readonly startedBy?: SpawnPlan["startedBy"];
  readonly isolation?: SpawnPlan["isolation"];
};

export interface CommandsDeps {
  /** Returns the instance of the current pty host, which is part of every process tag. */
  readonly instance: () => string;
  readonly log: Pick<Log, "debug">;
  readonly kept?: KeptOutputLimits;
}

export class Commands {
  readonly #deps: CommandsDeps;
  readonly #pipes = new Pipes();
  readonly #running = new Set<CommandRun>();
  /** Oldest first. */
  readonly #finished = new Set<CommandRun>();
  readonly #forgotten: string[] = [];
  #sweep: NodeJS.Timeout | undefined;

  constructor(deps: CommandsDeps) {
    this.#deps = deps;
  }

  running(): CommandRun[] {
    return [...this.#running];
  }

  async start(plan: RunPlan): Promise<Outcome<CommandRun>> {
    const id = `${RUN_PREFIX}${randomBytes(6).toString("hex")}`;
    const tag = formatProcessTag(this.#deps.instance(), id);
    let run: CommandRun;
    try {
      run = await this.#start(plan, id, tag);
    } catch (error) {
      return refusal(`The command could not be started: ${formatStartFailure(error)}`);
    }
    this.#running.add(run);
    void run.finished.then(() => this.#onEnded(run));
    if (plan.input !== undefined) run.write(Buffer.from(plan.input.text));
    if (plan.input?.staysOpen !== true) run.closeInput();
    this.#deps.log.debug(`command ${id} started: ${plan.argv[0]}, ${run.pid}`);
    return { ok: true, value: run };
  }

  /** Ends an owner's running commands, and kills what its finished ones left behind. */
  async endForOwner(owner: string): Promise<void> {
    const own = (run: CommandRun) => run.startedBy?.grant === owner;
    const running = this.running().filter(own);
    for (const run of [...this.#finished].filter(own)) this.forget(run);
    if (this.#forgotten.length > 0) this.#sweepForgotten();
    await Promise.all(running.map((run) => run.end("stopped")));
  }

  /** Drops a finished run and kills what it left behind. */
  forget(run: CommandRun): void {
    if (!this.#finished.delete(run)) return;
    run.release();
    this.#forgotten.push(formatProcessTag(this.#deps.instance(), run.id));
    this.#sweep ??= setTimeout(() => this.#sweepForgotten(), SWEEP_MS).unref();
  }

  /** Kills all commands immediately. */
  dispose(): void {
    for (const run of [...this.#running, ...this.#finished]) run.release();
    for (const run of this.#running) run.signal("SIGKILL");
    const ids = [...this.#running, ...this.#finished].map(({ id }) => id);
    const instance = this.#deps.instance();
    clearTimeout(this.#sweep);
    const tags = [...ids.map((id) => formatProcessTag(instance, id)), ...this.#forgotten.splice(0)];
    if (tags.length > 0) sweepTags(new Set(tags));
    this.#finished.clear();
    this.#pipes.close();
  }

  /** Starts a process. Throws if there are no pipes, or the system refuses. */
  async #start(plan: RunPlan, id: string, tag: string): Promise<CommandRun> {
    const [out, err] = await this.#pipes.take();
    try {
      const child = startChild(plan, tag, [out.write, err.write]);
      if (child.pid === undefined) throw await waitForSpawnError(child);
      const kept = this.#deps.kept ?? KEPT_OUTPUT_LIMITS;
      const [stdout, stderr] = [out.read, err.read];
      const { isolation, startedBy } = plan;
      return new CommandRun({ id, startedBy, tag, child, kept, stdout, stderr, isolation });
    } catch (error) {
      closeSync(out.read);
      closeSync(err.read);
      throw error;
    } finally {
      closeSync(out.write);
      closeSync(err.write);
    }
  }

  #onEnded(run: CommandRun): void {
    this.#running.delete(run);
    this.#finished.add(run);
    setTimeout(() => this.forget(run), FINISHED_MS).unref();
    for (const old of [...this.#finished].slice(0, -FINISHED_KEPT)) this.forget(old);
  }

  #sweepForgotten(): void {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    sweepTags(new Set(this.#forgotten.splice(0)));
  }
}

function startChild(plan: RunPlan, tag: string, output: [number, number]) {
  const [file, ...args] = plan.argv;
  const stdio: StdioOptions = [plan.input === undefined ? "ignore" : "pipe", ...output];
  const env = { ...plan.env, [PROCESS_TAG_ENV]: tag };
  // Own process group, so that signals reach all of it and nothing else.
  return spawn(file, args, { cwd: plan.cwd, env, stdio, detached: true });
}

/** Resolves with the spawn error, which Node emits a moment later. */
function waitForSpawnError(child: ReturnType<typeof startChild>): Promise<Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}

// The pipes that Node's spawn makes are sockets, which a program cannot reopen: `echo x >
// /dev/stderr` would fail. Some real ones are made ahead, so that no command waits.

/** Both ends of a pipe; the taker closes them. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** Enough for four commands at once; more are made while these run. */
const PREPARED_PIPES = 8;

const execFileAsync = promisify(execFile);

class Pipes {
  #stock: Pipe[] = [];
  #making: Promise<void> | undefined;
  #closed = false;

  /** Returns pipes for stdout and stderr. Throws without `mkfifo`, or without descriptors. */
  async take(): Promise<readonly [Pipe, Pipe]> {
    while (this.#stock.length < 2) await this.#prepare();
    const [stdout, stderr] = this.#stock.splice(0, 2);
    if (stdout === undefined || stderr === undefined) throw new Error("there are no pipes");
    // The next `take` that has to wait gets the error.
    if (this.#stock.length < PREPARED_PIPES / 2) void this.#prepare().catch(() => {});
    return [stdout, stderr];
  }

  /** Makes pipes; concurrent calls share one attempt. */
  #prepare(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  close(): void {
    this.#closed = true;
    for (const pipe of this.#stock.splice(0)) closePipe(pipe);
  }

  async #make(): Promise<void> {
    if (this.#closed) throw new Error("the pipes were closed");
    const folder = mkdtempSync(join(tmpdir(), "pairpty-pipes-"));
    try {
      const names = Array.from({ length: PREPARED_PIPES }, (_, index) =>
        join(folder, String(index)),
      );
      await execFileAsync("mkfifo", ["-m", "600", ...names]);
      for (const name of names) this.#stock.push(openPipe(name));
    } finally {
      // Open descriptors need no name.
      rmSync(folder, { recursive: true, force: true });
    }
    if (this.#closed) this.close();
  }
}

function openPipe(name: string): Pipe {
  // The read end first, non-blocking: the write end opens only if a reader exists.
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

function closePipe({ read, write }: Pipe): void {
  closeSync(read);
  closeSync(write);
}
