// Owns a provider on this machine: commands and sessions, with or without a sandbox, without a
// bridge. Its own methods run everything; the service judges and asks before it calls them.

import { randomBytes } from "node:crypto";
import { Commands } from "../commands/commands.ts";
import type { Log } from "../log.ts";
import { computeDigest, getPlanFiles } from "../pipeline/pipeline.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest } from "../pipeline/pipeline.ts";
import type { PlanResult, SpawnPlan } from "../terminals/spawn-plan.ts";
import { sweepInstance } from "../sweep.ts";
import type { Runner } from "./service-job.ts";
import type { LocalPlanContext, ProviderIsolation } from "./local-plan.ts";
import { planLocal, splitEnvironment } from "./local-plan.ts";
import type { OpenSession } from "./local-sessions.ts";
import { LocalSessions } from "./local-sessions.ts";
import type { RunningCommand, CommandText } from "./service-command.ts";
import {
  failedResult,
  KEPT_OUTPUT_LIMITS,
  waitForResult,
  parseCommandText,
  toSpawnFields,
} from "./service-command.ts";
import type {
  ExecuteCommandOptions,
  ExecuteCommandResult,
  InteractiveTerminalOutput,
  OutputWaitOptions,
  SessionStatus,
  TerminalIsolationLevel,
  TerminalProvider,
} from "./types.ts";

export interface LocalProviderDeps extends LocalPlanContext {
  readonly log: Log;
  /** Sandbox or container around everything that it runs. */
  readonly providerIsolation: ProviderIsolation;
}

/** Commands to kill when the program exits; its pty host ends on its own. */
const endAtExit = new Set<Commands>();
const endAll = () => {
  for (const commands of endAtExit) commands.dispose();
};

type CommandRequest = Pick<AgentSpawnRequest, "command" | "line" | "input" | "lane">;

export class LocalProvider implements TerminalProvider {
  readonly #deps: LocalProviderDeps;
  readonly #instance = randomBytes(16).toString("hex");
  readonly #commands: Commands;
  readonly #sessions: LocalSessions;

  constructor(deps: LocalProviderDeps) {
    this.#deps = deps;
    const { log } = deps;
    this.#commands = new Commands({
      instance: () => this.#instance,
      log,
      kept: KEPT_OUTPUT_LIMITS,
    });
    this.#sessions = new LocalSessions(deps);
    if (endAtExit.size === 0) process.on("exit", endAll);
    endAtExit.add(this.#commands);
  }

  async executeCommand(
    command: string,
    args: string[],
    options: ExecuteCommandOptions,
  ): Promise<ExecuteCommandResult> {
    return await this.#execute(parseCommandText(command, args), options);
  }

  async runScript(script: string, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    return await this.#execute({ kind: "line", line: script }, options);
  }

  async startInteractiveSession(options: ExecuteCommandOptions): Promise<string> {
    return await this.#openSession({ command: [this.#deps.shell], lane: "session" }, options);
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
    return this.#deps.providerIsolation.level;
  }

  async close(): Promise<void> {
    endAtExit.delete(this.#commands);
    if (endAtExit.size === 0) process.off("exit", endAll);
    await Promise.all(this.#commands.running().map((run) => run.end("stopped")));
    this.#commands.dispose();
    await this.#sessions.close();
    sweepInstance(this.#instance);
    await this.#deps.providerIsolation.end();
  }

  /** Returns a runner that starts a judged plan as a command. */
  commandRunner({ env, timeoutSeconds }: ExecuteCommandOptions): Runner<RunningCommand> {
    return this.#runner(env, {
      start: (plan) => this.#startCommand(plan, timeoutSeconds),
      end: ({ run }) => void run.end("stopped"),
    });
  }

  /** Returns a runner that starts a judged plan as a session. */
  sessionRunner({ env }: Pick<ExecuteCommandOptions, "env">): Runner<OpenSession> {
    return this.#runner(env, {
      start: (plan) => this.#startSession(plan),
      end: ({ target }) => void target.stop(),
    });
  }

  #runner<Started>(
    env: ExecuteCommandOptions["env"],
    ends: Pick<Runner<Started>, "start" | "end">,
  ): Runner<Started> {
    const { removed } = splitEnvironment(env);
    return {
      plan: (request) => this.#plan(request, removed),
      digest: (plan) => computeDigest("", plan, getPlanFiles(plan), [...removed].join(" ")),
      isolate: (plan) => this.#deps.providerIsolation.isolate(plan),
      ...ends,
    };
  }

  async #startCommand(plan: SpawnPlan, timeoutSeconds: number): Promise<Outcome<RunningCommand>> {
    const release = this.#deps.providerIsolation.hold(plan);
    const started = await this.#commands.start(plan);
    if (!started.ok) {
      release();
      return started;
    }
    const run = started.value;
    void run.finished.then(release);
    run.endAfter(timeoutSeconds * 1_000);
    return { ok: true, value: { run, result: () => waitForResult(run, timeoutSeconds) } };
  }

  async #startSession(plan: SpawnPlan): Promise<Outcome<OpenSession>> {
    const release = this.#deps.providerIsolation.hold(plan);
    const started = await this.#sessions.start(plan);
    if (started.ok) void started.value.target.finished.then(release);
    else release();
    return started;
  }

  async #execute(text: CommandText, options: ExecuteCommandOptions): Promise<ExecuteCommandResult> {
    const input = toInput(options);
    const planned = await this.#planIsolated(
      { ...toSpawnFields(text), input, lane: "command" },
      options,
    );
    if (!planned.ok) return failedResult(planned.error);
    const started = await this.#startCommand(planned.plan, options.timeoutSeconds);
    return started.ok ? await started.value.result() : failedResult(started.error);
  }

  async #openSession(what: CommandRequest, options: ExecuteCommandOptions): Promise<string> {
    const planned = await this.#planIsolated(what, options);
    const opened = planned.ok ? await this.#startSession(planned.plan) : planned;
    if (!opened.ok) throw new Error(opened.error);
    const { id } = opened.value.terminal;
    if (options.input !== undefined) this.#sessions.send(id, options.input);
    return id;
  }

  /** Plans and isolates a direct call, without an approval. */
  async #planIsolated(
    what: CommandRequest,
    { workingDirectory: cwd, env }: ExecuteCommandOptions,
  ): Promise<PlanResult> {
    const { added, removed } = splitEnvironment(env);
    const planned = this.#plan({ ...what, cwd, env: added, lifetime: "held" }, removed);
    return planned.ok ? await this.#deps.providerIsolation.isolate(planned.plan) : planned;
  }

  #plan(request: AgentSpawnRequest, removed: ReadonlySet<string>): PlanResult {
    return planLocal(
      { ...request, isolation: this.#deps.providerIsolation.level },
      this.#deps,
      removed,
    );
  }
}

/** Returns the complete standard input of a command. */
export function toInput({ input }: Pick<ExecuteCommandOptions, "input">) {
  return input === undefined ? undefined : { text: input, staysOpen: false };
}
