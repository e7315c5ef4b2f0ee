// Owns the commands that run with pipes: starts them from a plan, keeps the last finished ones
// readable, and kills what they leave behind. They end with their bridge.

import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { KiB } from "../../protocol/limits.ts";
import { formatStartFailure } from "../resource-errors.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { PROCESS_TAG_ENV, formatProcessTag, RUN_PREFIX, sweepTags } from "../sweep.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import type { KeptOutputLimits } from "./kept-output.ts";
import { Pipes } from "./pipes.ts";
import { CommandRun } from "./command-run.ts";

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
  /** Returns the instance of the current pty host, which is part of every process mark. */
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
    const mark = formatProcessTag(this.#deps.instance(), id);
    let run: CommandRun;
    try {
      run = await this.#start(plan, id, mark);
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
    const own = (run: CommandRun) => run.owner === owner;
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
    const marks = [
      ...ids.map((id) => formatProcessTag(instance, id)),
      ...this.#forgotten.splice(0),
    ];
    if (marks.length > 0) sweepTags(new Set(marks));
    this.#finished.clear();
    this.#pipes.close();
  }

  /** Starts a process. Throws if there are no pipes, or the system refuses. */
  async #start(plan: RunPlan, id: string, mark: string): Promise<CommandRun> {
    const [out, err] = await this.#pipes.take();
    try {
      const child = startChild(plan, mark, [out.write, err.write]);
      if (child.pid === undefined) throw await waitForSpawnError(child);
      const kept = this.#deps.kept ?? KEPT_OUTPUT_LIMITS;
      const owner = plan.startedBy?.grant;
      const [stdout, stderr] = [out.read, err.read];
      const { isolation } = plan;
      return new CommandRun({ id, owner, mark, child, kept, stdout, stderr, isolation });
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

function startChild(plan: RunPlan, mark: string, output: [number, number]) {
  const [file, ...args] = plan.argv;
  const stdio: StdioOptions = [plan.input === undefined ? "ignore" : "pipe", ...output];
  const env = { ...plan.env, [PROCESS_TAG_ENV]: mark };
  // Own process group, so that signals reach all of it and nothing else.
  return spawn(file, args, { cwd: plan.cwd, env, stdio, detached: true });
}

/** Resolves with the spawn error, which Node emits a moment later. */
function waitForSpawnError(child: ReturnType<typeof startChild>): Promise<Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}
