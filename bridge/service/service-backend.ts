// Owns how the session tools are served to the agents of a program: through the agent's provider
// and state, the pipeline, and the agent's `confirm` for approvals. The tools' own steps are in
// bridge/sessions/.

import { compact } from "../../protocol/compact.ts";
import { ISOLATIONS } from "../../protocol/isolation.ts";
import { judgeTypedLine } from "../agents/draft-judgement.ts";
import type { TypingGateDeps } from "../agents/typing-gate.ts";
import { TypingGate, SANDBOXED_PERMIT } from "../agents/typing-gate.ts";
import { errorMessage } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { getForeground } from "../processes/foreground.ts";
import type {
  ShellCommandRequest,
  OpenedSession,
  ToolBackend,
  ToolSettings,
} from "../sessions/tool-backend.ts";
import { toToolSettings } from "../sessions/tool-backend.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { Session } from "../sessions/session-registry.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import type { SessionTarget, RunLike, TypingPermit } from "../sessions/session-target.ts";
import type { Input } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { confirmWithPerson } from "./confirm.ts";
import { CustomSession, customRunner, startCustom } from "./custom-provider.ts";
import type { Job, JobDeps, Runner } from "./service-job.ts";
import { getConfirmLevel, createCaller, runJob } from "./service-job.ts";
import { LocalProvider } from "./local-provider.ts";
import type { TerminalState } from "./terminal-state.ts";
import type { Agent, ExecuteCommandOptions, TerminalProvider } from "./types.ts";

export interface ServiceBackendDeps {
  readonly jobs: JobDeps;
  readonly registry: SessionRegistry;
  /** Folder assumed for commands of a custom provider. */
  readonly folder: string;
  readonly getProvider: (agent: Agent) => TerminalProvider;
  readonly getState: (agent: Agent) => TerminalState;
  readonly findAgent: (id: string) => Agent | undefined;
}

interface StartedSession {
  readonly target: SessionTarget;
  /** Undefined for a custom provider. */
  readonly terminal: PoolTerminal | undefined;
}

/** A session lasts until it is stopped. */
const NO_TIMEOUT_SECONDS = 0;

/** Input to a custom provider's session may be read by a shell, whatever runs in the foreground. */
const SHELL_BEHIND = "sh";

export class ServiceBackend implements ToolBackend<Agent> {
  readonly #deps: ServiceBackendDeps;
  readonly #typing: TypingGate;
  readonly #terminals = new WeakMap<SessionTarget, PoolTerminal>();
  readonly #standIns = new WeakMap<Session, Session>();

  constructor(deps: ServiceBackendDeps) {
    this.#deps = deps;
    const { policy } = deps.jobs;
    this.#typing = new TypingGate({
      approvals: { request: (request) => this.#requestApproval(request) },
      audit: { write: () => {} },
      judge: (line, cwd) => judgeTypedLine(line, cwd, policy),
      getForeground,
      roots: ["/"],
      policyVersion: "",
      inSandbox: "run",
    });
  }

  getOwner({ id }: Agent): string {
    return id;
  }

  getConnection(): undefined {
    return undefined;
  }

  settings(agent: Agent): ToolSettings {
    return toToolSettings(this.#deps.getState(agent), undefined);
  }

  async run(
    agent: Agent,
    request: ShellCommandRequest & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<RunLike>> {
    const provider = this.#deps.getProvider(agent);
    const denial = isolationDenial(request, provider);
    if (denial !== undefined) return refusal(denial);
    const { bash } = this.#deps.getState(agent);
    const options = toOptions(request, bash.timeoutSeconds, request.input?.text);
    const call = () => provider.executeCommand(request.line, [], options);
    const runner =
      provider instanceof LocalProvider
        ? provider.commandRunner(options)
        : this.#foreign(provider, () => startCustom(call));
    const { limits } = this.#deps.jobs;
    const started = await this.#run({
      agent,
      command: request,
      signal,
      runner,
      via: "bash",
      lane: "command",
    });
    if (!started.ok) return started;
    const { run } = started.value;
    void run.finished.then(() => limits.release("command"));
    return { ok: true, value: run };
  }

  async open(
    agent: Agent,
    request: ShellCommandRequest,
    signal: AbortSignal,
  ): Promise<Outcome<OpenedSession>> {
    const provider = this.#deps.getProvider(agent);
    const denial = isolationDenial(request, provider);
    if (denial !== undefined) return refusal(denial);
    const runner: Runner<StartedSession> =
      provider instanceof LocalProvider
        ? provider.sessionRunner(toOptions(request, NO_TIMEOUT_SECONDS))
        : this.#foreign(
            provider,
            () => openForeign(provider, request),
            ({ target }) => void target.stop().catch(() => {}),
          );
    const job = {
      agent,
      command: request,
      signal,
      runner,
      via: "terminal_start",
      lane: "session",
    } as const;
    const started = await this.#run(job);
    if (!started.ok) return started;
    const { target, terminal } = started.value;
    if (terminal !== undefined) this.#terminals.set(target, terminal);
    void target.finished.then(() => this.#deps.jobs.limits.release("session"));
    const number = this.#deps.registry.nextNumber();
    return { ok: true, value: { target, number, startedAt: Date.now() } };
  }

  async authorizeTyping(
    agent: Agent,
    session: Session,
    typed: readonly KeyInput[],
    signal: AbortSignal,
  ): Promise<Outcome<TypingPermit>> {
    const isForeign = session.target instanceof CustomSession;
    const provider = this.#deps.getProvider(agent);
    // In a sandbox only the start is judged.
    if (isForeign && provider.getIsolationLevel() !== "none") return SANDBOXED_PERMIT;
    const terminal = this.#terminals.get(session.target);
    const caller = createCaller(agent, () => this.#deps.jobs.isAttached(agent));
    const judged = isForeign ? this.#getStandIn(session) : session;
    return await this.#typing.requestPermit({
      call: { caller },
      subject: judged,
      via: "terminal_continue",
      terminal,
      typed,
      signal,
    });
  }

  async #run<Started>(
    request: Omit<Job<Started>, "text" | "workingDirectory" | "added" | "input"> & {
      readonly command: ShellCommandRequest & { readonly input?: Input | undefined };
    },
  ): Promise<Outcome<Started>> {
    const { line, cwd: workingDirectory, env: added = {}, input } = request.command;
    const text = { kind: "line", line } as const;
    return await runJob({ ...request, text, workingDirectory, added, input }, this.#deps.jobs);
  }

  #foreign<Started>(
    provider: TerminalProvider,
    start: () => Promise<Outcome<Started>>,
    end: (started: Started) => void = () => {},
  ) {
    return customRunner(start, end, provider.getIsolationLevel(), this.#deps.folder);
  }

  /**
   * Returns a session that stands in for a custom provider's one when judging input: its foreground
   * is unknown, and a shell may be behind it.
   */
  #getStandIn(session: Session): Session {
    const known = this.#standIns.get(session);
    if (known !== undefined) return known;
    const { number, owner, target, startedAt } = session;
    const standIn = new Session(number, { owner, target, startedAt, command: SHELL_BEHIND });
    this.#standIns.set(session, standIn);
    return standIn;
  }

  async #requestApproval({
    caller,
    command,
    cwd,
    judgement,
    isolation,
    signal,
  }: Parameters<TypingGateDeps["approvals"]["request"]>[0]) {
    const agent = this.#deps.findAgent(caller.grantId);
    if (agent === undefined) return refusal("This agent was detached from the service");
    const asked = {
      command: typeof command === "string" ? command : command.join(" "),
      level: getConfirmLevel(judgement),
      reasons: judgement.why,
      notes: judgement.notes,
      workingDirectory: cwd,
      isolation,
    };
    return await confirmWithPerson(agent, asked, signal);
  }
}

/** Opens a session with a custom provider: one command, or a shell to type it into. */
async function openForeign(
  provider: TerminalProvider,
  request: ShellCommandRequest,
): Promise<Outcome<StartedSession>> {
  try {
    const options = toOptions(request, NO_TIMEOUT_SECONDS);
    const id = await provider.startCommandSession?.(request.line, options);
    if (id !== undefined) return toOpened(new CustomSession(provider, id));
    const shell = await provider.startInteractiveSession(options);
    await provider.sendInput(shell, `${request.line}\n`);
    return toOpened(new CustomSession(provider, shell));
  } catch (error) {
    return refusal(errorMessage(error));
  }
}

function toOpened(target: SessionTarget): Outcome<StartedSession> {
  return { ok: true, value: { target, terminal: undefined } };
}

/** Returns an error if the call wants more isolation than its provider has. */
function isolationDenial(
  { isolation }: ShellCommandRequest,
  provider: TerminalProvider,
): string | undefined {
  const level = provider.getIsolationLevel();
  if (isolation === undefined || ISOLATIONS.indexOf(isolation) <= ISOLATIONS.indexOf(level)) {
    return undefined;
  }
  return `This agent's provider has isolation ${level}; activate a provider with ${isolation} first`;
}

function toOptions(
  { cwd, env }: ShellCommandRequest,
  timeoutSeconds: number,
  input?: string,
): ExecuteCommandOptions {
  return {
    timeoutSeconds,
    ...compact({ workingDirectory: cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...compact({ input }),
  };
}
