// Owns agents' commands and sessions in the bridge: how the session tools start them here, who owns
// them, and their end with the grant. The tools' own steps are in bridge/sessions/.

import type { Isolation } from "../../protocol/isolation.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { Commands } from "../commands/commands.ts";
import { CommandRun } from "../commands/run.ts";
import { Ends } from "../ends.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { LineWish, Opened, ToolBackend, ToolSettings } from "../sessions/backend.ts";
import { ANSWER_MS, settingsOf } from "../sessions/backend.ts";
import type { Session, SessionBook } from "../sessions/book.ts";
import type { Typed } from "../sessions/keys.ts";
import type { Live, RunLike, TypingPermit } from "../sessions/live.ts";
import type { TerminalParts } from "../sessions/over-terminal.ts";
import { overTerminal } from "../sessions/over-terminal.ts";
import { takesCommandsByLine } from "../sessions/programs.ts";
import type { Input } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { AgentDefaults } from "./defaults.ts";
import type { Feeds } from "./feeds.ts";
import type { AgentCall, Typing } from "./typing.ts";
import type { Readable } from "./withholding.ts";
import { readableByAgents, whyNoAgentInput } from "./withholding.ts";

const NOT_ASKED_LATER = "what the agent types there needs no further approval";

export interface SessionParts {
  readonly pool: TerminalParts["pool"] & Readable & Pick<TerminalPool, "get" | "all" | "onEvent">;
  readonly commands: Pick<Commands, "endOf">;
  readonly runs: Pick<Pipeline<CommandRun>, "run">;
  readonly sessions: Pick<Pipeline<Terminal>, "run">;
  readonly book: SessionBook;
  readonly typing: Pick<Typing, "mayType">;
  readonly defaults: AgentDefaults;
  readonly grants: GrantSource;
  readonly live: Pick<TerminalParts, "wantsApplicationKeys" | "reads">;
  /** Returns hints on how a sandbox explains an output, such as a missing network. */
  readonly hints?: (level: Isolation, output: string) => readonly string[];
  /** The terminals where people see the output of agents' commands. */
  readonly feeds: Pick<Feeds, "show" | "endOf">;
}

export class AgentSessions implements ToolBackend<AgentCall> {
  readonly #parts: SessionParts;
  readonly #terminals = new WeakMap<Live, PoolTerminal>();
  readonly #ends = new Ends();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { pool, grants, book } = parts;
    this.#adopt();
    this.#ends.own(
      grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") void this.#endOf(grant.id);
      }),
      // A promoted terminal is the user's: no agent types into it or ends it.
      pool.onEvent(({ event, terminal: { id } }) => {
        const session = event === "promoted" ? this.#sessionOf(id) : undefined;
        if (session !== undefined) book.drop(session);
      }),
    );
  }

  dispose(): void {
    this.#ends.dispose();
  }

  ownerOf({ caller }: AgentCall): string {
    return caller.grantId;
  }

  throughOf({ caller }: AgentCall): object {
    return caller;
  }

  settings(): ToolSettings {
    return settingsOf(this.#parts.defaults, ANSWER_MS);
  }

  async run(
    call: AgentCall,
    wish: LineWish & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<CommandRun>> {
    const { caller, side } = call;
    const asking = { via: "bash", line: wish.line, signal, side };
    const lane = { lane: "command", lifetime: "held" } as const;
    const outcome = await this.#parts.runs.run(caller, { ...wish, ...lane }, asking);
    const label = caller.grant()?.label ?? "";
    if (outcome.ok) {
      this.#parts.feeds.show({ grant: caller.grantId, label }, wish.line, outcome.value);
    }
    return outcome;
  }

  async open(call: AgentCall, wish: LineWish, signal: AbortSignal): Promise<Outcome<Opened>> {
    const { caller, side } = call;
    const { line } = wish;
    const note = takesCommandsByLine(line) ? undefined : NOT_ASKED_LATER;
    const asking = { via: "terminal_start", line, note, signal, side };
    const lane = { lane: "session", lifetime: "held" } as const;
    const outcome = await this.#parts.sessions.run(caller, { ...wish, ...lane }, asking);
    if (!outcome.ok) return outcome;
    const terminal = this.#parts.pool.get(outcome.value.id);
    const number = terminal?.meta.session?.number;
    if (terminal === undefined || number === undefined) return refusal("It exited immediately");
    return { ok: true, value: { ...this.#over(terminal), number } };
  }

  hints(started: RunLike | Live, output: string): readonly string[] {
    const terminal = "read" in started ? this.#terminals.get(started) : undefined;
    const level = started instanceof CommandRun ? started.isolation : terminal?.meta.isolation;
    return this.#parts.hints?.(level ?? "none", output) ?? [];
  }

  async mayType(
    call: AgentCall,
    session: Session,
    typed: readonly Typed[],
    signal: AbortSignal,
  ): Promise<Outcome<TypingPermit>> {
    const terminal = this.#terminals.get(session.live);
    // Checked before an approval is requested, and again afterwards.
    const busy = terminal === undefined ? undefined : whyNoAgentInput(terminal);
    if (busy !== undefined) return refusal(busy);
    const via = "terminal_continue";
    const wish = { call, subject: session, via, terminal, typed, signal };
    return await this.#parts.typing.mayType(wish);
  }

  /** Returns the session of a terminal, if there is one. */
  over(terminal: PoolTerminal): Session | undefined {
    return this.#sessionOf(terminal.id);
  }

  /** Returns the terminal of an agent's session; a command with pipes has none. */
  terminalOf(owner: string, id: string): PoolTerminal | undefined {
    const session = this.#parts.book.find(owner, id);
    return session === undefined ? undefined : this.#terminals.get(session.live);
  }

  /** Ends the sessions that were started through this connection. */
  async endThrough(through: object): Promise<void> {
    await this.#parts.book.end((session) => session.through === through);
  }

  async #endOf(grant: string): Promise<void> {
    const { book, commands, feeds } = this.#parts;
    feeds.endOf(grant);
    await Promise.all([book.end(({ owner }) => owner === grant), commands.endOf(grant)]);
  }

  /** Restores the sessions of the previous bridge, and ends those whose grant is gone. */
  #adopt(): void {
    const { pool, book, grants } = this.#parts;
    for (const terminal of pool.all()) {
      const { session: kept, startedBy, command, owner } = terminal.meta;
      if (kept === undefined || startedBy === undefined || owner === "user") continue;
      const wish = {
        ...this.#over(terminal),
        owner: startedBy.grant,
        command: command?.at(-1) ?? "",
      };
      const session = book.open(wish, kept.number);
      session.move(kept.position);
      if (kept.isTold === true) session.tellEnd();
      if (grants.lookUp(startedBy.grant) === undefined) void this.#endOf(startedBy.grant);
    }
  }

  #over(terminal: PoolTerminal): { live: Live; startedAt: number } {
    const { pool, live: around } = this.#parts;
    const live = overTerminal(
      { ...around, pool, output: readableByAgents(pool), whyNoInput: whyNoAgentInput },
      terminal,
    );
    this.#terminals.set(live, terminal);
    return { live, startedAt: terminal.meta.createdAt };
  }

  #sessionOf(id: string): Session | undefined {
    return this.#parts.book.all().find(({ live }) => this.#terminals.get(live)?.id === id);
  }
}
