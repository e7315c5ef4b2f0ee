// Owns a provider on this machine: commands and sessions, with or without a sandbox, without a
// bridge. Its own methods run everything; the service judges and asks before it calls them.

import { randomBytes } from "node:crypto";
import { Commands } from "../commands/commands.ts";
import type { Log } from "../log.ts";
import { digestOf, surroundingsOf } from "../pipeline/digest.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish } from "../pipeline/pipeline.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import { sweepInstance } from "../sweep.ts";
import type { Runner } from "./job.ts";
import type { Surroundings } from "./local-plan.ts";
import { planLocal, splitEnvironment } from "./local-plan.ts";
import type { OpenSession } from "./local-sessions.ts";
import { LocalSessions } from "./local-sessions.ts";
import type { Running } from "./running.ts";
import { failed, KEPT, resultOf } from "./running.ts";
import type {
  ExecuteCommandOptions,
  ExecuteCommandResult,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
  TerminalProvider,
} from "./types.ts";
import type { Wall } from "./walls.ts";
import type { CommandText } from "./words.ts";
import { commandText, wishOf } from "./words.ts";

export interface LocalParts extends Surroundings {
  readonly log: Log;
  /** Sandbox or container around everything that it runs. */
  readonly wall: Wall;
}

/** Commands to kill when the program exits; its pty host ends on its own. */
const endAtExit = new Set<Commands>();
const endThem = () => {
  for (const commands of endAtExit) commands.dispose();
};

type What = Pick<AgentWish, "command" | "line" | "input" | "lane">;

export class LocalProvider implements TerminalProvider {
  readonly #parts: LocalParts;
  readonly #instance = randomBytes(16).toString("hex");
  readonly #commands: Commands;
  readonly #sessions: LocalSessions;

  constructor(parts: LocalParts) {
    this.#parts = parts;
    const { log } = parts;
    this.#commands = new Commands({ instance: () => this.#instance, log, kept: KEPT });
    this.#sessions = new LocalSessions(parts);
    if (endAtExit.size === 0) process.on("exit", endThem);
    endAtExit.add(this.#commands);
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
    return await this.#openSession({ command: [this.#parts.shell], lane: "session" }, options);
  }

  async startCommandSession(command: string, options: ExecuteCommandOptions): Promise<string> {
    return await this.#openSession({ line: command, lane: "session" }, options);
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
    return this.#parts.wall.level;
  }

  async close(): Promise<void> {
    endAtExit.delete(this.#commands);
    if (endAtExit.size === 0) process.off("exit", endThem);
    await Promise.all(this.#commands.running().map((run) => run.end("stopped")));
    this.#commands.dispose();
    await this.#sessions.close();
    sweepInstance(this.#instance);
    await this.#parts.wall.end();
  }

  /** Returns a runner that starts a judged plan as a command. */
  commandRunner({ env, timeoutSeconds }: ExecuteCommandOptions): Runner<Running> {
    return this.#runner(env, {
      start: (plan) => this.#startCommand(plan, timeoutSeconds),
      end: ({ run }) => void run.end("stopped"),
    });
  }

  /** Returns a runner that starts a judged plan as a session. */
  sessionRunner({ env }: Pick<ExecuteCommandOptions, "env">): Runner<OpenSession> {
    return this.#runner(env, {
      start: (plan) => this.#startSession(plan),
      end: ({ live }) => void live.stop(),
    });
  }

  #runner<Started>(
    env: ExecuteCommandOptions["env"],
    ends: Pick<Runner<Started>, "start" | "end">,
  ): Runner<Started> {
    const { removed } = splitEnvironment(env);
    return {
      plan: (wish) => this.#plan(wish, removed),
      digest: (plan) => digestOf("", plan, surroundingsOf(plan), [...removed].join(" ")),
      isolate: (plan) => this.#parts.wall.isolate(plan),
      ...ends,
    };
  }

  async #startCommand(plan: SpawnPlan, timeoutSeconds: number): Promise<Outcome<Running>> {
    const letGo = this.#parts.wall.hold(plan);
    const started = await this.#commands.start(plan);
    if (!started.ok) {
      letGo();
      return started;
    }
    const run = started.value;
    void run.finished.then(letGo);
    run.endAfter(timeoutSeconds * 1_000);
    return { ok: true, value: { run, result: () => resultOf(run, timeoutSeconds) } };
  }

  async #startSession(plan: SpawnPlan): Promise<Outcome<OpenSession>> {
    const letGo = this.#parts.wall.hold(plan);
    const started = await this.#sessions.start(plan);
    if (started.ok) void started.value.live.finished.then(letGo);
    else letGo();
    return started;
  }

  async #execute(text: CommandText, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    const input = inputOf(options);
    const planned = await this.#planOf({ ...wishOf(text), input, lane: "command" }, options);
    if (!planned.ok) return failed(planned.error);
    const started = await this.#startCommand(planned.plan, options.timeoutSeconds);
    return started.ok ? await started.value.result() : failed(started.error);
  }

  async #openSession(what: What, options: ExecuteCommandOptions): Promise<string> {
    const planned = await this.#planOf(what, options);
    const opened = planned.ok ? await this.#startSession(planned.plan) : planned;
    if (!opened.ok) throw new Error(opened.error);
    const { id } = opened.value.terminal;
    if (options.input !== undefined) this.#sessions.send(id, options.input);
    return id;
  }

  /** Plans and isolates a direct call, without an approval. */
  async #planOf(
    what: What,
    { workingDirectory: cwd, env }: ExecuteCommandOptions,
  ): Promise<Planned> {
    const { added, removed } = splitEnvironment(env);
    const planned = this.#plan({ ...what, cwd, env: added, lifetime: "held" }, removed);
    return planned.ok ? await this.#parts.wall.isolate(planned.plan) : planned;
  }

  #plan(wish: AgentWish, removed: ReadonlySet<string>): Planned {
    return planLocal({ ...wish, isolation: this.#parts.wall.level }, this.#parts, removed);
  }
}

/** Returns the complete standard input of a command. */
export function inputOf({ input }: Pick<ExecuteCommandOptions, "input">) {
  return input === undefined ? undefined : { text: input, staysOpen: false };
}
