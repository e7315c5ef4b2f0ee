// Owns one connected coding agent: opening and loading its sessions, and its turns. session-table.ts has
// the sessions, session-updates.ts handles its updates, agent-requests.ts its requests; the service owns the list of
// conversations, the dialect the wire's methods.

import type { Isolation } from "../../protocol/isolation.ts";
import { linkName } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { ConnectedAgentDeps, ConversationRegistry } from "./connected-agent-ports.ts";
import type { Conversation } from "./conversation.ts";
import type { AgentPort, AgentInfo, AgentWire, TurnOutcome } from "./agent-ports.ts";
import { Failure, AgentFault } from "./agent-ports.ts";
import { SessionUpdates } from "./session-updates.ts";
import type { RequestingAgent } from "./agent-requests.ts";
import { AgentRequests } from "./agent-requests.ts";
import type { AgentSession } from "./session-table.ts";
import { SessionTable } from "./session-table.ts";
import type { ToolPatch } from "./tool-call.ts";
import { parseUpdate } from "./update-parser.ts";

const MAX_SESSIONS = 16;
const BUSY = "A turn is running: wait for its end, or cancel it";
const NO_SESSION = "no such session";

export class ConnectedAgent implements RequestingAgent {
  readonly caller: Caller;
  readonly wire: AgentWire;
  readonly #deps: ConnectedAgentDeps;
  readonly #registry: ConversationRegistry;
  readonly #port: AgentPort;
  readonly #updates: SessionUpdates;
  readonly #sessions: SessionTable;
  #introduced: AgentInfo | undefined;
  #tools: ReturnType<ConnectedAgentDeps["offer"]> | undefined;
  #isGone = false;
  #isTurnReported = false;

  constructor(
    caller: Caller,
    wire: AgentWire,
    deps: ConnectedAgentDeps,
    registry: ConversationRegistry,
  ) {
    this.caller = caller;
    this.wire = wire;
    this.#deps = deps;
    this.#registry = registry;
    this.#sessions = new SessionTable(deps.now);
    this.#updates = new SessionUpdates({
      shownTerminals: deps.shownTerminals,
      by: () => ({ grant: caller.grantId, label: this.label }),
      onText: wire.onText,
    });
    this.#port = deps.connect(wire, new AgentRequests(this, deps));
    void this.#port.closed.then(() => this.onDisconnected());
  }

  get label(): string {
    const grant = this.caller.grant();
    return grant === undefined ? "agent" : linkName(grant);
  }

  get isolation(): Isolation {
    return this.#deps.getFloor(this.caller, this.wire);
  }

  get introduced(): AgentInfo | undefined {
    return this.#introduced;
  }

  /** Initializes the agent, then reloads the conversations that wait for it, or opens a new one. */
  async start(): Promise<void> {
    try {
      this.#introduced = await this.#port.initialize();
      this.#tools = this.#deps.offer(this.caller, this.wire, this.#introduced);
      if (this.#isGone) return this.#tools.end();
      const lost = this.wire.prompt === undefined ? this.#registry.takeLost(this) : [];
      const back = await this.#loadAll(lost);
      if (back > 0) return undefined;
      const begun = await this.openSession();
      if (!begun.ok) throw new AgentFault(begun.error);
      const { prompt } = this.wire;
      if (prompt !== undefined) await this.prompt(begun.value, "pairpty agent", prompt);
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      this.#fail(error.message);
    }
    return undefined;
  }

  /** Opens another session of this agent. */
  async openSession(): Promise<Outcome<Conversation>> {
    if (this.#sessions.size >= MAX_SESSIONS) {
      return refusal(`This agent has ${MAX_SESSIONS} conversations: end some first`);
    }
    const opened = this.#registry.open(this);
    if (!opened.ok) return opened;
    const conversation = opened.value;
    const unmark = this.#sessions.markOpening(conversation);
    try {
      const begun = await this.#port.openSession(this.wire.folder, this.#tools?.servers ?? []);
      this.#adopt(begun.session, conversation);
      conversation.setModes(begun.modes);
      conversation.setState("idle");
      for (const { session, update } of this.#sessions.takeEarly()) this.update(session, update);
      return { ok: true, value: conversation };
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      const why = this.#toReason(error);
      conversation.setState("ended", why);
      return refusal(why);
    } finally {
      unmark();
    }
  }

  holds(conversation: Conversation): boolean {
    return this.#sessions.find(conversation) !== undefined;
  }

  /** Whether a session was requested for it and the agent has not answered yet. */
  isOpening(conversation: Conversation): boolean {
    return this.#sessions.isOpening(conversation);
  }

  /** Sends a prompt. Resolves when the turn is over. */
  async prompt(conversation: Conversation, by: string, text: string): Promise<Outcome<string>> {
    const session = this.#sessions.find(conversation);
    if (session === undefined) return refusal("The agent is not connected");
    if (conversation.state !== "idle") return refusal(BUSY);
    conversation.setState("working");
    conversation.apply({ event: "prompt", by, text });
    try {
      const reason = await this.#port.prompt(conversation.session ?? "", text);
      conversation.apply({ event: "turn", reason });
      this.#turnEnded(conversation, { reason });
      return { ok: true, value: reason };
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      const why = this.#toReason(error);
      if (!this.#isGone) conversation.apply({ event: "note", text: why });
      this.#turnEnded(conversation, { error: why });
      return refusal(why);
    }
  }

  /** Cancels the turn, and withdraws its approvals. */
  cancel(conversation: Conversation): void {
    const session = this.#sessions.find(conversation);
    if (session === undefined || conversation.session === undefined) return;
    this.#port.cancel(conversation.session);
    this.#withdraw(session);
  }

  async setMode(conversation: Conversation, mode: string): Promise<Outcome<undefined>> {
    try {
      await this.#port.setMode(conversation.session ?? "", mode);
      conversation.setMode(mode);
      return { ok: true, value: undefined };
    } catch (error) {
      if (error instanceof AgentFault) return refusal(error.message);
      throw error;
    }
  }

  /** Ends a conversation on a person's request. */
  end(conversation: Conversation, why: string): void {
    this.cancel(conversation);
    const { session } = conversation;
    if (session === undefined) return;
    this.#sessions.delete(session);
    if (this.#introduced?.canClose === true) {
      // Ignores the agent's refusal: the conversation is over here.
      void this.#port.closeSession(session).catch((error: unknown) => {
        if (!(error instanceof AgentFault)) throw error;
      });
    }
    this.#endConversation(conversation, why);
  }

  /** Cleans up after the connection is closed. */
  onDisconnected(why = `${this.label} has closed the connection`): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#port.close();
    this.#tools?.end();
    for (const session of this.#sessions.all()) this.#withdraw(session);
    this.#reportTurn({ error: why });
    this.#registry.onAgentLeft(this, why);
    this.#sessions.clear();
  }

  update(sessionId: string, given: unknown): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return this.#sessions.keepEarly(sessionId, given);
    const update = parseUpdate(given);
    if (update !== undefined) this.#updates.apply(session, update);
    return undefined;
  }

  async #loadAll(lost: readonly Conversation[]): Promise<number> {
    let back = 0;
    for (const conversation of lost) if (await this.#load(conversation)) back += 1;
    return back;
  }

  /** Reloads a conversation: the agent replays it from the beginning. */
  async #load(conversation: Conversation): Promise<boolean> {
    const { session: id, facts } = conversation;
    if (id === undefined) return false;
    if (this.#introduced?.canLoad !== true) {
      this.#endConversation(conversation, `${this.label} reconnected and cannot restore it`);
      return false;
    }
    const before = conversation.entries;
    conversation.clear();
    const session = this.#adopt(id, conversation);
    session.isLoading = true;
    try {
      const loaded = await this.#port.loadSession(id, facts.cwd, this.#tools?.servers ?? []);
      conversation.setModes(loaded.modes);
      conversation.apply({ event: "note", text: `${this.label} is back` });
      conversation.setState("idle");
      return true;
    } catch (error) {
      if (!(error instanceof AgentFault)) throw error;
      this.#sessions.delete(id);
      conversation.restore(before);
      this.#endConversation(conversation, error.message);
      return false;
    } finally {
      session.isLoading = false;
    }
  }

  /** Replaces the agent's terminal ids by the room's, where the terminal is already shown. */
  withRoomTerminalIds(conversation: Conversation, patch: ToolPatch): ToolPatch {
    return this.#updates.withRoomTerminalIds(conversation, patch);
  }

  #turnEnded(conversation: Conversation, outcome: TurnOutcome): void {
    if (conversation.state === "working") conversation.setState("idle");
    this.#reportTurn(outcome);
  }

  /** Reports the outcome of the turn that `pairpty agent` waits for, once. */
  #reportTurn(outcome: TurnOutcome): void {
    if (this.#isTurnReported) return;
    this.#isTurnReported = true;
    this.wire.onTurnEnded?.(outcome);
  }

  #adopt(id: string, conversation: Conversation): AgentSession {
    conversation.canLoad = this.#introduced?.canLoad === true;
    return this.#sessions.add(id, conversation);
  }

  #endConversation(conversation: Conversation, why: string): void {
    conversation.setState("ended", why);
    this.#deps.shownTerminals.endForConversation(conversation.id);
    void this.#deps.terminals.releaseAll(conversation.id, why);
  }

  getSession(id: string): AgentSession {
    if (this.caller.grant() === undefined) {
      throw new Failure("refused", "This token has expired or was revoked");
    }
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Failure("not_found", NO_SESSION);
    return session;
  }

  #withdraw({ questions }: AgentSession): void {
    for (const subject of questions) this.#deps.approvals.onSubjectEnded(subject);
  }

  #toReason(error: AgentFault): string {
    if (!error.wantsLogin) return error.message;
    const ways = this.#introduced?.logins ?? [];
    const how = ways.length === 0 ? "" : ` (${ways.join("; ")})`;
    return `${this.label} needs you to log in first${how}: run it on its own, log in, then start it again`;
  }

  #fail(why: string): void {
    this.#deps.log.info(`coding agent ${this.caller.grantId}: ${why}`);
    this.#reportTurn({ error: why });
    this.wire.close(why);
    this.onDisconnected(why);
  }
}
