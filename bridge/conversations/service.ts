// Owns the conversations of this bridge: which exist, which agents hold them, what people may do
// with them, and what happens when an agent or the bridge goes away. Sends nothing itself.

import { randomBytes } from "node:crypto";
import type { Conversation as Told, Entry } from "../../protocol/conversation.ts";
import type { ErrorCode } from "../../protocol/codes.ts";
import type { KeptTerminals } from "../agents/kept-terminals.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { calledOf, who } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import { may } from "../callers/rights.ts";
import { Ends } from "../ends.ts";
import { logFault } from "../faults.ts";
import { Listeners } from "../listeners.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { AgentParts, Book } from "./agent.ts";
import { ConnectedAgent } from "./agent.ts";
import type { ConversationNews, Kept } from "./conversation.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationStore } from "./store.ts";
import { exitWords } from "./updates.ts";
import type { AgentsHost, AgentWire } from "./wire.ts";

/** Ended ones are dropped for new ones. */
export const MOST_CONVERSATIONS = 50;
/** Limit per agent, over all of its connections, to leave room for others. */
export const MOST_OF_ONE = MOST_CONVERSATIONS / 2;
/** How long a disconnected agent's terminals are kept for its return. */
export const SWEEP_MS = 30_000;
/** As long as a local agent's grant outlives its connection. */
export const LOST_MS = 10 * 60_000;
const SAVE_MS = 2_000;

export type ServiceNews = ConversationNews | { readonly news: "gone"; readonly id: string };

export type Done =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export interface ConversationParts extends AgentParts {
  readonly store: Pick<ConversationStore, "load" | "save" | "forget">;
  readonly grants: GrantSource;
  readonly pool: Pick<TerminalPool, "get" | "onEvent">;
  readonly kept: Pick<KeptTerminals, "trim">;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "info" | "error" | "warn">;
}

const DONE: Done = { ok: true };
const NOT_FOUND: Done = { ok: false, code: "not_found", error: "There is no such conversation" };
const NEEDS_EDIT: Done = { ok: false, code: "forbidden", error: "This needs an Edit link" };
const NOT_CONNECTED = "The agent is not connected";

export class Conversations implements AgentsHost, Book {
  readonly #parts: ConversationParts;
  readonly #conversations = new Map<string, Conversation>();
  readonly #agents = new Set<ConnectedAgent>();
  readonly #news = new Listeners<[ServiceNews]>();
  readonly #unsaved = new Set<string>();
  /** Timers of disconnected conversations: one for their terminals, one for their end. */
  readonly #timers = new Map<string, NodeJS.Timeout[]>();
  readonly #ends = new Ends();
  #saving: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    for (const kept of parts.store.load()) this.#restore(kept);
    this.#ends.own(
      parts.pool.onEvent(({ event, terminal, exit }) => {
        if (event !== "closed" || terminal.conversation === undefined) return;
        void this.#parts.kept.trim();
        // The agent reports the exit of a terminal that it only shows.
        if (parts.pool.get(terminal.id)?.meta.feed === true || exit === undefined) return;
        const words = exitWords(exit.exitCode, exit.signal);
        this.terminalIs(terminal.conversation, { terminal: terminal.id, exit: words });
      }),
      parts.grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") this.#grantEnded(grant.id);
      }),
    );
  }

  serve(caller: Caller, wire: AgentWire): (why?: string) => void {
    const agent = new ConnectedAgent(caller, wire, this.#parts, this);
    this.#agents.add(agent);
    agent.start().catch((error: unknown) => {
      logFault(this.#parts.log, `coding agent ${caller.grantId}`, error);
      wire.close("internal error in pairpty; see its log");
      agent.gone("internal error in pairpty");
    });
    return (why) => agent.gone(why);
  }

  onNews(listener: (news: ServiceNews) => void): () => void {
    return this.#news.add(listener);
  }

  /** Returns all conversations, oldest first. */
  list(): Told[] {
    return [...this.#conversations.values()].map((conversation) => conversation.told());
  }

  opened(
    id: string,
  ): { conversation: Told; entries: readonly Entry[]; isCut: boolean } | undefined {
    return this.#conversations.get(id)?.opened();
  }

  prompt(caller: Caller, id: string, text: string): Done {
    return this.#with(caller, id, (agent, conversation, by) => {
      if (conversation.state !== "idle") return refused(whyNotNow(conversation));
      this.#audit(caller, "prompt", { conversation: id, text });
      void agent.prompt(conversation, by, text).catch((error: unknown) => this.#fault(error));
      return DONE;
    });
  }

  cancel(caller: Caller, id: string): Done {
    return this.#with(caller, id, (agent, conversation) => {
      if (conversation.state !== "working") return refused("No turn is running");
      this.#audit(caller, "cancel", { conversation: id });
      agent.cancel(conversation);
      return DONE;
    });
  }

  async setMode(caller: Caller, id: string, mode: string): Promise<Done> {
    return await this.#with<Promise<Done> | Done>(caller, id, async (agent, conversation) => {
      const done = await agent.setMode(conversation, mode);
      return done.ok ? DONE : refused(done.error);
    });
  }

  /** Opens another conversation with the same agent. */
  async another(caller: Caller, id: string): Promise<Done> {
    return await this.#with<Promise<Done> | Done>(caller, id, async (agent) => {
      const begun = await agent.begin();
      return begun.ok ? DONE : refused(begun.error);
    });
  }

  end(caller: Caller, id: string): Done {
    if (!may(caller.grant(), "change")) return NEEDS_EDIT;
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) return NOT_FOUND;
    if (conversation.state === "ended") return DONE;
    this.#audit(caller, "end", { conversation: id });
    const why = `ended by ${calledOf(caller)}`;
    const agent = this.#agentOf(conversation);
    if (agent === undefined) this.#over(conversation, why);
    else agent.end(conversation, why);
    return DONE;
  }

  /** Records a terminal's exit, or the text that is left of it. */
  terminalIs(
    id: string,
    news: { readonly terminal: string; readonly text?: string; readonly exit?: string },
  ): void {
    this.#conversations.get(id)?.take({ event: "terminal", ...news });
  }

  dispose(): void {
    this.#ends.dispose();
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
    if (its.length >= MOST_OF_ONE) {
      return refusal(`This agent has ${MOST_OF_ONE} conversations: end some first`);
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
      (news) => this.#tell(id, news),
      this.#parts.now,
    );
    this.#conversations.set(id, conversation);
    this.#tell(id, { news: "changed", conversation: conversation.told() });
    return { ok: true, value: conversation };
  }

  lost({ caller, wire }: ConnectedAgent): Conversation[] {
    const lost = [...this.#conversations.values()].filter(({ state, facts }) => {
      const isIts = facts.agent.grant === caller.grantId && facts.via === wire.via;
      return state === "lost" && isIts && facts.cwd === wire.folder;
    });
    for (const { id } of lost) this.#stopTimers(id);
    return lost;
  }

  left(agent: ConnectedAgent, why: string): void {
    this.#agents.delete(agent);
    for (const conversation of this.#conversations.values()) {
      const isIts = agent.holds(conversation);
      if (isIts) this.#lose(conversation, why);
      else if (conversation.state === "starting" && agent.opened(conversation)) {
        conversation.become("ended", why);
      }
    }
  }

  #lose(conversation: Conversation, why: string): void {
    const isLive = this.#parts.grants.lookUp(conversation.facts.agent.grant) !== undefined;
    if (conversation.state === "working") conversation.take({ event: "note", text: why });
    if (!conversation.canLoad || !isLive) {
      conversation.become("ended", why);
      return this.#sweepLater(conversation, undefined);
    }
    conversation.become("lost", why);
    return this.#sweepLater(conversation, `${why}, and it did not come back`);
  }

  /** Schedules the end of its terminals and, with `over`, of the conversation for that reason. */
  #sweepLater(conversation: Conversation, over: string | undefined): void {
    const { id } = conversation;
    const sweep = setTimeout(() => this.#sweep(id, "its agent is gone"), SWEEP_MS);
    const timers = [sweep];
    if (over !== undefined) {
      timers.push(setTimeout(() => this.#over(conversation, over), LOST_MS));
    }
    for (const timer of timers) timer.unref();
    this.#stopTimers(id);
    this.#timers.set(id, timers);
  }

  #stopTimers(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  #over(conversation: Conversation, why: string): void {
    this.#stopTimers(conversation.id);
    conversation.become("ended", why);
    this.#sweep(conversation.id, why);
  }

  #sweep(id: string, why: string): void {
    this.#parts.shown.endOf(id);
    void this.#parts.terminals.releaseAll(id, why).catch((error: unknown) => this.#fault(error));
  }

  /** Ends the conversations of a grant. */
  #grantEnded(grant: string): void {
    for (const conversation of this.#conversations.values()) {
      if (conversation.facts.agent.grant !== grant) continue;
      const why = "its token has expired or was revoked";
      if (conversation.state === "lost") this.#over(conversation, why);
      // Its connection is being closed; end its processes now.
      else this.#sweep(conversation.id, why);
    }
  }

  #restore(kept: Kept): void {
    const { id, agent } = kept.facts;
    const conversation = Conversation.from(kept, (news) => this.#tell(id, news), this.#parts.now);
    this.#conversations.set(id, conversation);
    if (kept.state === "ended") return;
    const why = "pairpty was restarted";
    if (kept.canLoad && this.#parts.grants.lookUp(agent.grant) !== undefined) {
      conversation.become("lost", why);
      return this.#sweepLater(conversation, `${why}, and the agent did not come back`);
    }
    return this.#over(conversation, why);
  }

  /** Drops the oldest ended conversation if there are too many; false if none has ended. */
  #makeRoom(): boolean {
    if (this.#conversations.size < MOST_CONVERSATIONS) return true;
    const old = [...this.#conversations.values()].find(({ state }) => state === "ended");
    if (old === undefined) return false;
    this.#conversations.delete(old.id);
    this.#stopTimers(old.id);
    old.dispose();
    this.#unsaved.delete(old.id);
    this.#parts.store.forget(old.id);
    this.#news.tell({ news: "gone", id: old.id });
    return true;
  }

  #with<T extends Done | Promise<Done>>(
    caller: Caller,
    id: string,
    act: (agent: ConnectedAgent, conversation: Conversation, by: string) => T,
  ): T | Done {
    if (!may(caller.grant(), "change")) return NEEDS_EDIT;
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) return NOT_FOUND;
    const agent = this.#agentOf(conversation);
    if (agent === undefined) return refused(whyNotNow(conversation));
    return act(agent, conversation, calledOf(caller));
  }

  #agentOf(conversation: Conversation): ConnectedAgent | undefined {
    return [...this.#agents].find((agent) => agent.holds(conversation));
  }

  #tell(id: string, news: ConversationNews): void {
    if (this.#isOver) return;
    this.#unsaved.add(id);
    this.#saving ??= setTimeout(() => this.#save(), SAVE_MS);
    this.#saving.unref();
    this.#news.tell(news);
  }

  #save(): void {
    this.#saving = undefined;
    for (const id of this.#unsaved) {
      const conversation = this.#conversations.get(id);
      if (conversation !== undefined) this.#parts.store.save(conversation.keep());
    }
    this.#unsaved.clear();
  }

  #audit(caller: Caller, event: string, args: object): void {
    this.#parts.audit.write({ event, ...who(caller), arguments: args });
  }

  #fault(error: unknown): void {
    logFault(this.#parts.log, "a conversation", error);
  }

  #now(): number {
    return (this.#parts.now ?? Date.now)();
  }
}

function refused(error: string): Done {
  return { ok: false, code: "bad_request", error };
}

function whyNotNow(conversation: Conversation): string {
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
