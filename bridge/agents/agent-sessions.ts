// Owns agents' commands and sessions in the bridge: how the session tools start them here, who owns
// them, and their end with the grant. The tools' own steps are in bridge/sessions/.

import type { Terminal } from "../../protocol/terminal.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { Commands } from "../commands/commands.ts";
import { CommandRun } from "../commands/command-run.ts";
import { DisposableStore } from "../disposable-store.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type {
  ShellCommandRequest,
  OpenedSession,
  ToolBackend,
  ToolSettings,
} from "../sessions/tool-backend.ts";
import { ANSWER_MS, toToolSettings } from "../sessions/tool-backend.ts";
import type { Session, SessionRegistry } from "../sessions/session-registry.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import type {
  SessionTarget,
  RunLike,
  TypingPermit,
  TerminalTargetDeps,
} from "../sessions/session-target.ts";
import { toTerminalTarget } from "../sessions/session-target.ts";
import { takesCommandsByLine } from "../sessions/shell-programs.ts";
import type { Input } from "../terminals/spawn-plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { AgentDefaults } from "./defaults.ts";
import type { CommandMirrors } from "./command-mirrors.ts";
import type { AgentCall, TypingGate } from "./typing-gate.ts";
import type { TerminalReader } from "./agent-visibility.ts";
import { readableByAgents, agentInputDenial } from "./agent-visibility.ts";

const TYPING_NOT_ASKED = "what the agent types there needs no further approval";

export interface AgentSessionsDeps {
  readonly pool: TerminalTargetDeps["pool"] &
    TerminalReader &
    Pick<TerminalPool, "get" | "all" | "onEvent">;
  readonly commands: Pick<Commands, "endForOwner">;
  readonly commandPipeline: Pick<Pipeline<CommandRun>, "run">;
  readonly sessions: Pick<Pipeline<Terminal>, "run">;
  readonly registry: SessionRegistry;
  readonly typing: Pick<TypingGate, "requestPermit">;
  readonly defaults: AgentDefaults;
  readonly grants: GrantSource;
  readonly targetDeps: Pick<TerminalTargetDeps, "wantsApplicationKeys" | "reads">;
  /** Knows how a sandbox explains an output, such as a missing network. */
  readonly isolation?: Pick<IsolationService, "listHints">;
  /** The terminals where people see the output of agents' commands. */
  readonly mirrors: Pick<CommandMirrors, "show" | "endForGrant">;
}

export class AgentSessions implements ToolBackend<AgentCall> {
  readonly #deps: AgentSessionsDeps;
  readonly #terminals = new WeakMap<SessionTarget, PoolTerminal>();
  readonly #disposables = new DisposableStore();

  constructor(deps: AgentSessionsDeps) {
    this.#deps = deps;
    const { pool, grants, registry } = deps;
    this.#adopt();
    this.#disposables.add(
      grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") void this.#endForGrant(grant.id);
      }),
      // A promoted terminal is the user's: no agent types into it or ends it.
      pool.onEvent(({ event, terminal: { id } }) => {
        const session = event === "promoted" ? this.#findSessionById(id) : undefined;
        if (session !== undefined) registry.drop(session);
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  getOwner({ caller }: AgentCall): string {
    return caller.grantId;
  }

  getConnection({ caller }: AgentCall): object {
    return caller;
  }

  settings(): ToolSettings {
    return toToolSettings(this.#deps.defaults, ANSWER_MS);
  }

  async run(
    call: AgentCall,
    request: ShellCommandRequest & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<CommandRun>> {
    const { caller, client } = call;
    const context = { via: "bash", line: request.line, signal, client };
    const lane = { lane: "command", lifetime: "held" } as const;
    const outcome = await this.#deps.commandPipeline.run(caller, { ...request, ...lane }, context);
    const startedBy = outcome.ok ? outcome.value.startedBy : undefined;
    if (outcome.ok && startedBy !== undefined) {
      this.#deps.mirrors.show(startedBy, request.line, outcome.value);
    }
    return outcome;
  }

  async open(
    call: AgentCall,
    request: ShellCommandRequest,
    signal: AbortSignal,
  ): Promise<Outcome<OpenedSession>> {
    const { caller, client } = call;
    const { line } = request;
    const note = takesCommandsByLine(line) ? undefined : TYPING_NOT_ASKED;
    const context = { via: "terminal_start", line, note, signal, client };
    const lane = { lane: "session", lifetime: "held" } as const;
    const outcome = await this.#deps.sessions.run(caller, { ...request, ...lane }, context);
    if (!outcome.ok) return outcome;
    const terminal = this.#deps.pool.get(outcome.value.id);
    const number = terminal?.meta.session?.number;
    if (terminal === undefined || number === undefined) return refusal("It exited immediately");
    return { ok: true, value: { ...this.#openOver(terminal), number } };
  }

  hints(started: RunLike | SessionTarget, output: string): readonly string[] {
    const terminal = "read" in started ? this.#terminals.get(started) : undefined;
    const level = started instanceof CommandRun ? started.isolation : terminal?.meta.isolation;
    return this.#deps.isolation?.listHints(level ?? "none", output) ?? [];
  }

  async authorizeTyping(
    call: AgentCall,
    session: Session,
    typed: readonly KeyInput[],
    signal: AbortSignal,
  ): Promise<Outcome<TypingPermit>> {
    const terminal = this.#terminals.get(session.target);
    // Checked before an approval is requested, and again afterwards.
    const busy = terminal === undefined ? undefined : agentInputDenial(terminal);
    if (busy !== undefined) return refusal(busy);
    const via = "terminal_continue";
    const request = { call, subject: session, via, terminal, typed, signal };
    return await this.#deps.typing.requestPermit(request);
  }

  /** Returns the session of a terminal, if there is one. */
  findSession(terminal: PoolTerminal): Session | undefined {
    return this.#findSessionById(terminal.id);
  }

  /** Returns the terminal of an agent's session; a command with pipes has none. */
  findTerminal(owner: string, id: string): PoolTerminal | undefined {
    const session = this.#deps.registry.find(owner, id);
    return session === undefined ? undefined : this.#terminals.get(session.target);
  }

  /** Ends the sessions that were started through this connection. */
  async endThrough(through: object): Promise<void> {
    await this.#deps.registry.end((session) => session.connection === through);
  }

  async #endForGrant(grant: string): Promise<void> {
    const { registry, commands, mirrors: feeds } = this.#deps;
    feeds.endForGrant(grant);
    await Promise.all([registry.end(({ owner }) => owner === grant), commands.endForOwner(grant)]);
  }

  /** Restores the sessions of the previous bridge, and ends those whose grant is gone. */
  #adopt(): void {
    const { pool, registry, grants } = this.#deps;
    for (const terminal of pool.all()) {
      const { session: kept, startedBy, command, owner } = terminal.meta;
      if (kept === undefined || startedBy === undefined || owner === "user") continue;
      const request = {
        ...this.#openOver(terminal),
        owner: startedBy.grant,
        command: command?.at(-1) ?? "",
      };
      const session = registry.open(request, kept.number);
      session.move(kept.position);
      if (kept.isTold === true) session.markExitReported();
      if (grants.lookUp(startedBy.grant) === undefined) void this.#endForGrant(startedBy.grant);
    }
  }

  #openOver(terminal: PoolTerminal): { target: SessionTarget; startedAt: number } {
    const { pool, targetDeps: around } = this.#deps;
    const target = toTerminalTarget(
      { ...around, pool, output: readableByAgents(pool), getInputBlockedReason: agentInputDenial },
      terminal,
    );
    this.#terminals.set(target, terminal);
    return { target, startedAt: terminal.meta.createdAt };
  }

  #findSessionById(id: string): Session | undefined {
    return this.#deps.registry.all().find(({ target }) => this.#terminals.get(target)?.id === id);
  }
}
