// Owns the provider `local`: commands and sessions on this machine, without a bridge. Its own methods
// run what they are told; the service judges and asks before it comes here.

import { randomBytes } from "node:crypto";
import { Commands } from "../commands/commands.ts";
import { MiB } from "../../protocol/limits.ts";
import type { Log } from "../log.ts";
import { digestOf, surroundingsOf } from "../pipeline/digest.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish } from "../pipeline/pipeline.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import { sweepInstance } from "../terminals/sweep.ts";
import type { Runner } from "./job.ts";
import type { Running, Surroundings } from "./local-commands.ts";
import { failed, planLocal, splitEnvironment, startCommand } from "./local-commands.ts";
import type { OpenSession } from "./local-sessions.ts";
import { LocalSessions } from "./local-sessions.ts";
import type {
  ExecuteCommandOptions,
  ExecuteCommandResult,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
  TerminalProvider,
} from "./types.ts";
import type { CommandText } from "./words.ts";
import { argvOf, commandText, SHELL } from "./words.ts";

/** Of each stream of a command. A program wants all of it, and the last 20 runs are kept. */
const KEPT = { head: 1 * MiB, tail: 1 * MiB };

export interface LocalParts extends Surroundings {
  readonly log: Log;
}

export class LocalProvider implements TerminalProvider {
  readonly #parts: LocalParts;
  readonly #instance = randomBytes(16).toString("hex");
  readonly #commands: Commands;
  readonly #sessions: LocalSessions;
  readonly #atExit = () => this.#commands.dispose();

  constructor(parts: LocalParts) {
    this.#parts = parts;
    const { log } = parts;
    this.#commands = new Commands({ instance: () => this.#instance, log, kept: KEPT });
    this.#sessions = new LocalSessions(parts);
    // A program that just ends leaves no command behind; its pty host ends by itself.
    process.once("exit", this.#atExit);
  }

  async executeCommand(
    command: string,
    args: string[],
    options: ExecuteCommandOptions,
  ): Promise<ExecuteCommandResult> {
    return await this.#execute(commandText(command, args), options);
  }

  async runScript(script: string, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    return await this.#execute({ kind: "line", line: script }, options);
  }

  async startInteractiveSession(options: ExecuteCommandOptions): Promise<string> {
    const { shell } = this.#parts;
    return await this.#openSession([shell], options);
  }

  async startCommandSession(command: string, options: ExecuteCommandOptions): Promise<string> {
    return await this.#openSession([SHELL, "-c", command], options);
  }

  async sendInput(sessionId: string, input: string): Promise<void> {
    this.#sessions.send(sessionId, input);
  }

  async collectOutput(
    sessionId: string,
    fromPosition: number,
    waitOptions: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    return await this.#sessions.collect(sessionId, fromPosition, waitOptions);
  }

  async terminateSession(sessionId: string): Promise<void> {
    await this.#sessions.terminate(sessionId);
  }

  getSessionStatus(sessionId: string): SessionStatus | null {
    return this.#sessions.status(sessionId);
  }

  getIsolationLevel(): TerminalIsolationLevel {
    return "none";
  }

  async close(): Promise<void> {
    process.off("exit", this.#atExit);
    this.#commands.dispose();
    await this.#sessions.close();
    sweepInstance(this.#instance);
  }

  /** For the pipeline: a command of a plan that was judged. */
  commandRunner(options: ExecuteCommandOptions): Runner<Running> {
    return this.#runner(options, (plan) => startCommand(this.#commands, plan, options), {
      end: (running) => running.end(),
    });
  }

  /** For the pipeline: a session of a plan that was judged. */
  sessionRunner(options: ExecuteCommandOptions): Runner<OpenSession> {
    return this.#runner(options, (plan) => this.#sessions.start(plan), {
      end: ({ id }) => void this.#sessions.terminate(id).catch(() => {}),
    });
  }

  #runner<Started>(
    { env }: ExecuteCommandOptions,
    start: (plan: SpawnPlan) => Promise<Outcome<Started>>,
    { end }: Pick<Runner<Started>, "end">,
  ): Runner<Started> {
    const { removed } = splitEnvironment(env);
    return {
      plan: (wish) => this.#plan(wish, removed),
      digest: (plan) => digestOf("", plan, surroundingsOf(plan), [...removed].join(" ")),
      isolate: async (plan) => ({ ok: true, plan }),
      start,
      end,
    };
  }

  async #execute(text: CommandText, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    const planned = this.#planOf(argvOf(text), options, "command");
    if (!planned.ok) return failed(planned.error);
    const started = await startCommand(this.#commands, planned.plan, options);
    return started.ok ? await started.value.result : failed(started.error);
  }

  async #openSession(argv: readonly string[], options: ExecuteCommandOptions): Promise<string> {
    const planned = this.#planOf(argv, options, "session");
    const opened = planned.ok ? await this.#sessions.start(planned.plan) : planned;
    if (!opened.ok) throw new Error(opened.error);
    const { id } = opened.value;
    if (options.input !== undefined) this.#sessions.send(id, options.input);
    return id;
  }

  #planOf(
    command: readonly string[],
    { workingDirectory, env }: ExecuteCommandOptions,
    lane: "command" | "session",
  ): Planned {
    const { added, removed } = splitEnvironment(env);
    const wish = { command, cwd: workingDirectory, env: added, lane, lifetime: "held" } as const;
    return this.#plan(wish, removed);
  }

  #plan(wish: AgentWish, removed: ReadonlySet<string>): Planned {
    return planLocal(wish, this.#parts, removed);
  }
}
