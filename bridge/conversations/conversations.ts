// Owns the life of this bridge's conversations: which agents hold them, what people may do with them,
// and what happens when an agent or the bridge goes away. Sends nothing itself.

import { randomBytes } from "node:crypto";
import type { Conversation as WireConversation, Entry } from "../../protocol/conversation.ts";
import type { ReleasedTerminals } from "../agents/released-terminals.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, toAuditName } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import { hasPermission } from "../callers/permissions.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logFault } from "../faults.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { ConnectedAgentDeps, ConversationRegistry } from "./connected-agent-ports.ts";
import { ConnectedAgent } from "./connected-agent.ts";
import type { ConversationChange, StoredConversation } from "./conversation.ts";
import { Conversation } from "./conversation.ts";
import type { ActionResult } from "./action-result.ts";
import { busyReason, DONE, NEEDS_EDIT, NOT_FOUND, refused } from "./action-result.ts";
import { ConversationTable, MAX_PER_AGENT, toFacts } from "./conversation-table.ts";
import { DelayedSaves } from "./delayed-saves.ts";
import { LostAgentTimers } from "./lost-agent-timers.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { formatExit } from "./bounded-text.ts";
import type { AgentsHost, AgentWire } from "./agent-ports.ts";

export type ConversationsEvent =
  | ConversationChange
  | { readonly news: "gone"; readonly id: string };

export interface ConversationsDeps extends ConnectedAgentDeps {
  readonly store: Pick<ConversationStore, "load" | "save" | "forget">;
  readonly grants: GrantSource;
  readonly pool: Pick<TerminalPool, "get" | "onEvent">;
  readonly releasedTerminals: Pick<ReleasedTerminals, "trim">;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "info" | "error" | "warn">;
}

export class Conversations implements AgentsHost, ConversationRegistry {
  readonly #deps: ConversationsDeps;
  readonly #table = new ConversationTable();
  readonly #agents = new Set<ConnectedAgent>();
  readonly #listeners = new Emitter<[ConversationsEvent]>();
  readonly #saves: DelayedSaves;
  readonly #timers = new LostAgentTimers();
  readonly #disposables = new DisposableStore();
  #isOver = false;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
    this.#saves = new DelayedSaves((id) => {
      const conversation = this.#table.get(id);
      if (conversation !== undefined) deps.store.save(conversation.toStored());
    });
    for (const stored of deps.store.load()) this.#restore(stored);
    this.#disposables.add(
      deps.pool.onEvent(({ event, terminal, exit }) => {
        if (event !== "closed" || terminal.conversation === undefined) return;
        void this.#deps.releasedTerminals.trim();
        // The agent reports the exit of a terminal that it only shows.
        if (deps.pool.get(terminal.id)?.meta.feed === true || exit === undefined) return;
        const words = formatExit(exit.exitCode, exit.signal);
        this.recordTerminal(terminal.conversation, { terminal: terminal.id, exit: words });
      }),
      deps.grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") this.#onGrantEnded(grant.id);
      }),
    );
  }

  serve(caller: Caller, wire: AgentWire): (why?: string) => void {
    const agent = new ConnectedAgent(caller, wire, this.#deps, this);
    this.#agents.add(agent);
    agent.start().catch((error: unknown) => {
      logFault(this.#deps.log, `coding agent ${caller.grantId}`, error);
      wire.close("internal error in pairpty; see its log");
      agent.onDisconnected("internal error in pairpty");
    });
    return (why) => agent.onDisconnected(why);
  }

  onEvent(listener: (news: ConversationsEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Returns all conversations, oldest first. */
  list(): WireConversation[] {
    return this.#table.all().map((conversation) => conversation.describe());
  }

  getSnapshot(
    id: string,
  ): { conversation: WireConversation; entries: readonly Entry[]; isCut: boolean } | undefined {
    return this.#table.get(id)?.toSnapshot();
  }

  prompt(caller: Caller, id: string, text: string): ActionResult {
    return this.#withAgent(caller, id, (agent, conversation, by) => {
      if (conversation.state !== "idle") return refused(busyReason(conversation));
      this.#audit(caller, "prompt", { conversation: id, text });
      void agent.prompt(conversation, by, text).catch((error: unknown) => this.#fault(error));
      return DONE;
    });
  }

  cancel(caller: Caller, id: string): ActionResult {
    return this.#withAgent(caller, id, (agent, conversation) => {
      if (conversation.state !== "working") return refused("No turn is running");
      this.#audit(caller, "cancel", { conversation: id });
      agent.cancel(conversation);
      return DONE;
    });
  }

  async setMode(caller: Caller, id: string, mode: string): Promise<ActionResult> {
    return await this.#withAgent(caller, id, async (agent, conversation): Promise<ActionResult> => {
      const done = await agent.setMode(conversation, mode);
      return done.ok ? DONE : refused(done.error);
    });
  }

  /** Opens another conversation with the same agent. */
  async openAnother(caller: Caller, id: string): Promise<ActionResult> {
    return await this.#withAgent(caller, id, async (agent): Promise<ActionResult> => {
      const begun = await agent.openSession();
      return begun.ok ? DONE : refused(begun.error);
    });
  }

  end(caller: Caller, id: string): ActionResult {
    if (!hasPermission(caller.grant(), "change")) return NEEDS_EDIT;
    const conversation = this.#table.get(id);
    if (conversation === undefined) return NOT_FOUND;
    if (conversation.state === "ended") return DONE;
    this.#audit(caller, "end", { conversation: id });
    const why = `ended by ${callerDisplayName(caller)}`;
    const agent = this.#findAgent(conversation);
    if (agent === undefined) this.#end(conversation, why);
    else agent.end(conversation, why);
    return DONE;
  }

  /** Records a terminal's exit, or the text that remains of it. */
  recordTerminal(
    id: string,
    news: { readonly terminal: string; readonly text?: string; readonly exit?: string },
  ): void {
    this.#table.get(id)?.apply({ event: "terminal", ...news });
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#timers.dispose();
    for (const conversation of this.#table.all()) conversation.dispose();
    this.#saves.dispose();
    // Later changes are not sent: the next bridge takes over.
    this.#isOver = true;
  }

  // Called by connected agents.

  open(agent: ConnectedAgent): Outcome<Conversation> {
    if (this.#table.isAgentFull(agent.caller.grantId)) {
      return refusal(`This agent has ${MAX_PER_AGENT} conversations: end some first`);
    }
    if (!this.#makeRoom()) return refusal("Too many conversations: end some first");
    const id = `c-${randomBytes(6).toString("hex")}`;
    const facts = toFacts(agent, id, (this.#deps.now ?? Date.now)());
    const conversation = new Conversation(facts, (news) => this.#emit(id, news), this.#deps.now);
    this.#table.add(conversation);
    this.#emit(id, { news: "changed", conversation: conversation.describe() });
    return { ok: true, value: conversation };
  }

  takeLost(agent: ConnectedAgent): Conversation[] {
    const lost = this.#table.listLost(agent);
    for (const { id } of lost) this.#timers.stop(id);
    return lost;
  }

  onAgentLeft(agent: ConnectedAgent, why: string): void {
    this.#agents.delete(agent);
    for (const conversation of this.#table.all()) {
      const isIts = agent.holds(conversation);
      if (isIts) this.#onAgentLost(conversation, why);
      else if (conversation.state === "starting" && agent.isOpening(conversation)) {
        conversation.setState("ended", why);
      }
    }
  }

  #onAgentLost(conversation: Conversation, why: string): void {
    const isLive = this.#deps.grants.lookUp(conversation.facts.agent.grant) !== undefined;
    if (conversation.state === "working") conversation.apply({ event: "note", text: why });
    if (!conversation.canLoad || !isLive) {
      conversation.setState("ended", why);
      return this.#scheduleRelease(conversation, undefined);
    }
    conversation.setState("lost", why);
    return this.#scheduleRelease(conversation, `${why}, and it did not come back`);
  }

  /** Schedules the end of its terminals and, with `over`, of the conversation for that reason. */
  #scheduleRelease(conversation: Conversation, over: string | undefined): void {
    const { id } = conversation;
    this.#timers.start(id, {
      releaseTerminals: () => this.#releaseTerminals(id, "its agent is gone"),
      end: over === undefined ? undefined : () => this.#end(conversation, over),
    });
  }

  #end(conversation: Conversation, why: string): void {
    this.#timers.stop(conversation.id);
    conversation.setState("ended", why);
    this.#releaseTerminals(conversation.id, why);
  }

  #releaseTerminals(id: string, why: string): void {
    this.#deps.shownTerminals.endForConversation(id);
    void this.#deps.terminals.releaseAll(id, why).catch((error: unknown) => this.#fault(error));
  }

  /** Ends the conversations of a grant. */
  #onGrantEnded(grant: string): void {
    for (const conversation of this.#table.all()) {
      if (conversation.facts.agent.grant !== grant) continue;
      const why = "its token has expired or was revoked";
      if (conversation.state === "lost") this.#end(conversation, why);
      // The agent's connection is being closed; end its processes now.
      else this.#releaseTerminals(conversation.id, why);
    }
  }

  #restore(stored: StoredConversation): void {
    const { id, agent } = stored.facts;
    const conversation = Conversation.from(stored, (news) => this.#emit(id, news), this.#deps.now);
    this.#table.add(conversation);
    if (stored.state === "ended") return;
    const why = "pairpty was restarted";
    if (stored.canLoad && this.#deps.grants.lookUp(agent.grant) !== undefined) {
      conversation.setState("lost", why);
      return this.#scheduleRelease(conversation, `${why}, and the agent did not come back`);
    }
    return this.#end(conversation, why);
  }

  /** Drops the oldest ended conversation if there are too many; false if none has ended. */
  #makeRoom(): boolean {
    if (!this.#table.isFull) return true;
    const old = this.#table.removeOldestEnded();
    if (old === undefined) return false;
    this.#timers.stop(old.id);
    old.dispose();
    this.#saves.forget(old.id);
    this.#deps.store.forget(old.id);
    this.#listeners.fire({ news: "gone", id: old.id });
    return true;
  }

  #withAgent<T extends ActionResult | Promise<ActionResult>>(
    caller: Caller,
    id: string,
    act: (agent: ConnectedAgent, conversation: Conversation, by: string) => T,
  ): T | ActionResult {
    if (!hasPermission(caller.grant(), "change")) return NEEDS_EDIT;
    const conversation = this.#table.get(id);
    if (conversation === undefined) return NOT_FOUND;
    const agent = this.#findAgent(conversation);
    if (agent === undefined) return refused(busyReason(conversation));
    return act(agent, conversation, callerDisplayName(caller));
  }

  #findAgent(conversation: Conversation): ConnectedAgent | undefined {
    return [...this.#agents].find((agent) => agent.holds(conversation));
  }

  #emit(id: string, news: ConversationChange): void {
    if (this.#isOver) return;
    this.#saves.add(id);
    this.#listeners.fire(news);
  }

  #audit(caller: Caller, event: string, args: object): void {
    this.#deps.audit.write({ event, ...toAuditName(caller), arguments: args });
  }

  #fault(error: unknown): void {
    logFault(this.#deps.log, "a conversation", error);
  }
}
