// Owns the conversations of this bridge: which exist, which agents hold them, what people may do
// with them, and what happens when an agent or the bridge goes away. Sends nothing itself.

import { randomBytes } from "node:crypto";
import type { Conversation as WireConversation, Entry } from "../../protocol/conversation.ts";
import type { ErrorCode } from "../../protocol/codes.ts";
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
import type { ConnectedAgentDeps, ConversationRegistry } from "./connected-agent.ts";
import { ConnectedAgent } from "./connected-agent.ts";
import type { ConversationChange, StoredConversation } from "./conversation.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { formatExit } from "./bounded-text.ts";
import type { AgentsHost, AgentWire } from "./agent-ports.ts";

/** Ended conversations are dropped when new ones need the space. */
export const MAX_CONVERSATIONS = 50;
/** Limit per agent, over all of its connections, to leave room for others. */
export const MAX_PER_AGENT = MAX_CONVERSATIONS / 2;
/** How long a disconnected agent's terminals are kept for its return. */
export const TERMINAL_GRACE_MS = 30_000;
/** As long as a local agent's grant outlives its connection. */
export const LOST_GRACE_MS = 10 * 60_000;
const SAVE_MS = 2_000;

export type ConversationsEvent =
  | ConversationChange
  | { readonly news: "gone"; readonly id: string };

export type ActionResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export interface ConversationsDeps extends ConnectedAgentDeps {
  readonly store: Pick<ConversationStore, "load" | "save" | "forget">;
  readonly grants: GrantSource;
  readonly pool: Pick<TerminalPool, "get" | "onEvent">;
  readonly releasedTerminals: Pick<ReleasedTerminals, "trim">;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "info" | "error" | "warn">;
}

const DONE: ActionResult = { ok: true };
const NOT_FOUND: ActionResult = {
  ok: false,
  code: "not_found",
  error: "There is no such conversation",
};
const NEEDS_EDIT: ActionResult = { ok: false, code: "forbidden", error: "This needs an Edit link" };
const NOT_CONNECTED = "The agent is not connected";

export class Conversations implements AgentsHost, ConversationRegistry {
  readonly #deps: ConversationsDeps;
  readonly #conversations = new Map<string, Conversation>();
  readonly #agents = new Set<ConnectedAgent>();
  readonly #listeners = new Emitter<[ConversationsEvent]>();
  readonly #unsaved = new Set<string>();
  /** Timers of disconnected conversations: one for their terminals, one for their end. */
  readonly #timers = new Map<string, NodeJS.Timeout[]>();
  readonly #disposables = new DisposableStore();
  #saving: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
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
    return [...this.#conversations.values()].map((conversation) => conversation.describe());
  }

  getSnapshot(
    id: string,
  ): { conversation: WireConversation; entries: readonly Entry[]; isCut: boolean } | undefined {
    return this.#conversations.get(id)?.toSnapshot();
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
    return await this.#withAgent<Promise<ActionResult> | ActionResult>(
      caller,
      id,
      async (agent, conversation) => {
        const done = await agent.setMode(conversation, mode);
        return done.ok ? DONE : refused(done.error);
      },
    );
  }

  /** Opens another conversation with the same agent. */
  async openAnother(caller: Caller, id: string): Promise<ActionResult> {
    return await this.#withAgent<Promise<ActionResult> | ActionResult>(
      caller,
      id,
      async (agent) => {
        const begun = await agent.openSession();
        return begun.ok ? DONE : refused(begun.error);
      },
    );
  }

  end(caller: Caller, id: string): ActionResult {
    if (!hasPermission(caller.grant(), "change")) return NEEDS_EDIT;
    const conversation = this.#conversations.get(id);
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
    this.#conversations.get(id)?.apply({ event: "terminal", ...news });
  }

  dispose(): void {
    this.#disposables.dispose();
    clearTimeout(this.#saving);
    for (const timers of this.#timers.values()) for (const timer of timers) clearTimeout(timer);
    for (const conversation of this.#conversations.values()) conversation.dispose();
    this.#save();
    // Later changes are not sent: the next bridge takes over.
    this.#isOver = true;
  }

  // Called by connected agents.

  open(agent: ConnectedAgent): Outcome<Conversation> {
    const { caller, wire, introduced, label, isolation } = agent;
    const its = [...this.#conversations.values()].filter(
      ({ state, facts }) => state !== "ended" && facts.agent.grant === caller.grantId,
    );
    if (its.length >= MAX_PER_AGENT) {
      return refusal(`This agent has ${MAX_PER_AGENT} conversations: end some first`);
    }
    if (!this.#makeRoom()) return refusal("Too many conversations: end some first");
    const id = `c-${randomBytes(6).toString("hex")}`;
    const { name, version } = introduced ?? {};
    const conversation = new Conversation(
      {
        id,
        agent: {
          grant: caller.grantId,
          label,
          ...(name === undefined ? {} : { name }),
          ...(version === undefined ? {} : { version }),
        },
        via: wire.via,
        cwd: wire.folder,
        isolation,
        startedAt: this.#now(),
      },
      (news) => this.#emit(id, news),
      this.#deps.now,
    );
    this.#conversations.set(id, conversation);
    this.#emit(id, { news: "changed", conversation: conversation.describe() });
    return { ok: true, value: conversation };
  }

  takeLost({ caller, wire }: ConnectedAgent): Conversation[] {
    const lost = [...this.#conversations.values()].filter(({ state, facts }) => {
      const isIts = facts.agent.grant === caller.grantId && facts.via === wire.via;
      return state === "lost" && isIts && facts.cwd === wire.folder;
    });
    for (const { id } of lost) this.#stopTimers(id);
    return lost;
  }

  onAgentLeft(agent: ConnectedAgent, why: string): void {
    this.#agents.delete(agent);
    for (const conversation of this.#conversations.values()) {
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
    const sweep = setTimeout(
      () => this.#releaseTerminals(id, "its agent is gone"),
      TERMINAL_GRACE_MS,
    );
    const timers = [sweep];
    if (over !== undefined) {
      timers.push(setTimeout(() => this.#end(conversation, over), LOST_GRACE_MS));
    }
    for (const timer of timers) timer.unref();
    this.#stopTimers(id);
    this.#timers.set(id, timers);
  }

  #stopTimers(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  #end(conversation: Conversation, why: string): void {
    this.#stopTimers(conversation.id);
    conversation.setState("ended", why);
    this.#releaseTerminals(conversation.id, why);
  }

  #releaseTerminals(id: string, why: string): void {
    this.#deps.shownTerminals.endForConversation(id);
    void this.#deps.terminals.releaseAll(id, why).catch((error: unknown) => this.#fault(error));
  }

  /** Ends the conversations of a grant. */
  #onGrantEnded(grant: string): void {
    for (const conversation of this.#conversations.values()) {
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
    this.#conversations.set(id, conversation);
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
    if (this.#conversations.size < MAX_CONVERSATIONS) return true;
    const old = [...this.#conversations.values()].find(({ state }) => state === "ended");
    if (old === undefined) return false;
    this.#conversations.delete(old.id);
    this.#stopTimers(old.id);
    old.dispose();
    this.#unsaved.delete(old.id);
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
    const conversation = this.#conversations.get(id);
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
    this.#unsaved.add(id);
    this.#saving ??= setTimeout(() => this.#save(), SAVE_MS);
    this.#saving.unref();
    this.#listeners.fire(news);
  }

  #save(): void {
    this.#saving = undefined;
    for (const id of this.#unsaved) {
      const conversation = this.#conversations.get(id);
      if (conversation !== undefined) this.#deps.store.save(conversation.toStored());
    }
    this.#unsaved.clear();
  }

  #audit(caller: Caller, event: string, args: object): void {
    this.#deps.audit.write({ event, ...toAuditName(caller), arguments: args });
  }

  #fault(error: unknown): void {
    logFault(this.#deps.log, "a conversation", error);
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)();
  }
}

function refused(error: string): ActionResult {
  return { ok: false, code: "bad_request", error };
}

function busyReason(conversation: Conversation): string {
  switch (conversation.state) {
    case "working":
      return "A turn is running: wait for its end, or cancel it";
    case "starting":
      return "The agent is starting: try again in a moment";
    case "ended":
      return "This conversation is over";
    case "lost":
    case "idle":
      return NOT_CONNECTED;
  }
}
