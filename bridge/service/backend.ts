// Owns how the session tools are served to the agents of a program: through the agent's provider
// and state, the pipeline, and the agent's `confirm` for approvals. The tools' own steps are in
// bridge/sessions/.

import { ISOLATIONS } from "../../protocol/isolation.ts";
import { judgeTyped } from "../agents/judging.ts";
import type { TypingParts } from "../agents/typing.ts";
import { Typing, UNJUDGED } from "../agents/typing.ts";
import { messageOf } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { foregroundOf } from "../processes/foreground.ts";
import type { LineWish, Opened, ToolBackend, ToolSettings } from "../sessions/backend.ts";
import { settingsOf } from "../sessions/backend.ts";
import type { SessionBook } from "../sessions/book.ts";
import { Session } from "../sessions/book.ts";
import type { Typed } from "../sessions/keys.ts";
import type { Live, RunLike, TypingPermit } from "../sessions/live.ts";
import type { Input } from "../terminals/plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { askPerson } from "./asking.ts";
import { ForeignLive } from "./foreign-live.ts";
import { foreignRunner, startForeign } from "./foreign.ts";
import type { Job, JobParts, Runner } from "./job.ts";
import { askedAs, callerFor, runJob } from "./job.ts";
import { LocalProvider } from "./local.ts";
import type { TerminalState } from "./state.ts";
import type { Agent, ExecuteCommandOptions, TerminalProvider } from "./types.ts";

export interface BackendParts {
  readonly jobs: JobParts;
  readonly book: SessionBook;
  /** Folder assumed for commands of a custom provider. */
  readonly folder: string;
  readonly providerOf: (agent: Agent) => TerminalProvider;
  readonly stateOf: (agent: Agent) => TerminalState;
  readonly agentOf: (id: string) => Agent | undefined;
}

interface StartedSession {
  readonly live: Live;
  /** Undefined for a custom provider. */
  readonly terminal: PoolTerminal | undefined;
}

/** A session lasts until it is stopped. */
const NO_TIMEOUT_SECONDS = 0;

/** Input to a custom provider's session may be read by a shell, whatever runs in the foreground. */
const SHELL_BEHIND = "sh";

export class ServiceBackend implements ToolBackend<Agent> {
  readonly #parts: BackendParts;
  readonly #typing: Typing;
  readonly #terminals = new WeakMap<Live, PoolTerminal>();
  readonly #standIns = new WeakMap<Session, Session>();

  constructor(parts: BackendParts) {
    this.#parts = parts;
    const { policy } = parts.jobs;
    this.#typing = new Typing({
      approvals: { ask: (wish) => this.#ask(wish) },
      audit: { write: () => {} },
      judge: (line, cwd) => judgeTyped(line, cwd, policy),
      foregroundOf,
      roots: ["/"],
      policyVersion: "",
      inSandbox: "run",
    });
  }

  ownerOf({ id }: Agent): string {
    return id;
  }

  throughOf(): undefined {
    return undefined;
  }

  settings(agent: Agent): ToolSettings {
    return settingsOf(this.#parts.stateOf(agent), undefined);
  }

  async run(
    agent: Agent,
    wish: LineWish & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<RunLike>> {
    const provider = this.#parts.providerOf(agent);
    const thin = tooThin(wish, provider);
    if (thin !== undefined) return refusal(thin);
    const { bash } = this.#parts.stateOf(agent);
    const options = optionsOf(wish, bash.timeoutSeconds, wish.input?.text);
    const call = () => provider.executeCommand(wish.line, [], options);
    const runner =
      provider instanceof LocalProvider
        ? provider.commandRunner(options)
        : this.#foreign(provider, () => startForeign(call));
    const { places } = this.#parts.jobs;
    const started = await this.#run({ agent, wish, signal, runner, via: "bash", lane: "command" });
    if (!started.ok) return started;
    const { run } = started.value;
    void run.finished.then(() => places.free("command"));
    return { ok: true, value: run };
  }

  async open(agent: Agent, wish: LineWish, signal: AbortSignal): Promise<Outcome<Opened>> {
    const provider = this.#parts.providerOf(agent);
    const thin = tooThin(wish, provider);
    if (thin !== undefined) return refusal(thin);
    const runner: Runner<StartedSession> =
      provider instanceof LocalProvider
        ? provider.sessionRunner(optionsOf(wish, NO_TIMEOUT_SECONDS))
        : this.#foreign(
            provider,
            () => openForeign(provider, wish),
            ({ live }) => void live.stop().catch(() => {}),
          );
    const job = { agent, wish, signal, runner, via: "terminal_start", lane: "session" } as const;
    const started = await this.#run(job);
    if (!started.ok) return started;
    const { live, terminal } = started.value;
    if (terminal !== undefined) this.#terminals.set(live, terminal);
    void live.finished.then(() => this.#parts.jobs.places.free("session"));
    const number = this.#parts.book.nextNumber();
    return { ok: true, value: { live, number, startedAt: Date.now() } };
  }

  async mayType(
    agent: Agent,
    session: Session,
    typed: readonly Typed[],
    signal: AbortSignal,
  ): Promise<Outcome<TypingPermit>> {
    const isForeign = session.live instanceof ForeignLive;
    const provider = this.#parts.providerOf(agent);
    // In a sandbox only the start is judged.
    if (isForeign && provider.getIsolationLevel() !== "none") return UNJUDGED;
    const terminal = this.#terminals.get(session.live);
    const caller = callerFor(agent, () => this.#parts.jobs.isHere(agent));
    const judged = isForeign ? this.#standInOf(session) : session;
    return await this.#typing.mayType({
      call: { caller },
      subject: judged,
      via: "terminal_continue",
      terminal,
      typed,
      signal,
    });
  }

  async #run<Started>(
    wish: Omit<Job<Started>, "text" | "workingDirectory" | "added" | "input"> & {
      readonly wish: LineWish & { readonly input?: Input | undefined };
    },
  ): Promise<Outcome<Started>> {
    const { line, cwd: workingDirectory, env: added = {}, input } = wish.wish;
    const text = { kind: "line", line } as const;
    return await runJob({ ...wish, text, workingDirectory, added, input }, this.#parts.jobs);
  }

  #foreign<Started>(
    provider: TerminalProvider,
    start: () => Promise<Outcome<Started>>,
    end: (started: Started) => void = () => {},
  ) {
    return foreignRunner(start, end, provider.getIsolationLevel(), this.#parts.folder);
  }

  /**
   * Returns a session that stands in for a custom provider's one when judging input: its foreground
   * is unknown, and a shell may be behind it.
   */
  #standInOf(session: Session): Session {
    const known = this.#standIns.get(session);
    if (known !== undefined) return known;
    const { number, owner, live, startedAt } = session;
    const standIn = new Session(number, { owner, live, startedAt, command: SHELL_BEHIND });
    this.#standIns.set(session, standIn);
    return standIn;
  }

  async #ask({
    caller,
    command,
    cwd,
    judgement,
    isolation,
    signal,
  }: Parameters<TypingParts["approvals"]["ask"]>[0]) {
    const agent = this.#parts.agentOf(caller.grantId);
    if (agent === undefined) return refusal("This agent was detached from the service");
    const asked = {
      command: typeof command === "string" ? command : command.join(" "),
      level: askedAs(judgement),
      reasons: judgement.why,
      workingDirectory: cwd,
      isolation,
    };
    return await askPerson(agent, asked, signal);
  }
}

/** Opens a session with a custom provider: one command, or a shell to type it into. */
async function openForeign(
  provider: TerminalProvider,
  wish: LineWish,
): Promise<Outcome<StartedSession>> {
  try {
    const options = optionsOf(wish, NO_TIMEOUT_SECONDS);
    const id = await provider.startCommandSession?.(wish.line, options);
    if (id !== undefined) return openedAs(new ForeignLive(provider, id));
    const shell = await provider.startInteractiveSession(options);
    await provider.sendInput(shell, `${wish.line}\n`);
    return openedAs(new ForeignLive(provider, shell));
  } catch (error) {
    return refusal(messageOf(error));
  }
}

function openedAs(live: Live): Outcome<StartedSession> {
  return { ok: true, value: { live, terminal: undefined } };
}

/** Returns an error if the call wants more isolation than its provider has. */
function tooThin({ isolation }: LineWish, provider: TerminalProvider): string | undefined {
  const level = provider.getIsolationLevel();
  if (isolation === undefined || ISOLATIONS.indexOf(isolation) <= ISOLATIONS.indexOf(level)) {
    return undefined;
  }
  return `This agent's provider has isolation ${level}; activate a provider with ${isolation} first`;
}

function optionsOf(
  { cwd, env }: LineWish,
  timeoutSeconds: number,
  input?: string,
): ExecuteCommandOptions {
  return {
    timeoutSeconds,
    ...(cwd === undefined ? {} : { workingDirectory: cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(input === undefined ? {} : { input }),
  };
}
