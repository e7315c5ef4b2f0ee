// Owns which conversations exist, how many may, and what a new one records about its agent. Does not
// start, store or announce them.

import type { ConnectedAgent } from "./connected-agent.ts";
import type { Conversation, StoredConversation } from "./conversation.ts";

/** Ended conversations are dropped when new ones need the space. */
export const MAX_CONVERSATIONS = 50;
/** Limit per agent, over all of its connections, to leave room for others. */
export const MAX_PER_AGENT = MAX_CONVERSATIONS / 2;
export class ConversationTable {
  readonly #byId = new Map<string, Conversation>();

  get(id: string): Conversation | undefined {
    return this.#byId.get(id);
  }

  /** Returns all conversations, oldest first. */
  all(): Conversation[] {
    return [...this.#byId.values()];
  }

  add(conversation: Conversation): void {
    this.#byId.set(conversation.id, conversation);
  }

  /** Whether the agent with this grant has as many open conversations as it may. */
  isAgentFull(grant: string): boolean {
    const open = this.all().filter(
      ({ state, facts }) => state !== "ended" && facts.agent.grant === grant,
    );
    return open.length >= MAX_PER_AGENT;
  }

  get isFull(): boolean {
    return this.#byId.size >= MAX_CONVERSATIONS;
  }

  /** Removes the oldest ended conversation; undefined if none has ended. */
  removeOldestEnded(): Conversation | undefined {
    const old = this.all().find(({ state }) => state === "ended");
    if (old !== undefined) this.#byId.delete(old.id);
    return old;
  }

  /** Returns the conversations that wait for this agent to reconnect. */
  listLost({ caller, wire }: Pick<ConnectedAgent, "caller" | "wire">): Conversation[] {
    return this.all().filter(({ state, facts }) => {
      const isIts = facts.agent.grant === caller.grantId && facts.via === wire.via;
      return state === "lost" && isIts && facts.cwd === wire.folder;
    });
  }
}

/** Returns what a new conversation records about its agent. */
export function toFacts(
  { caller, wire, introduced, label, isolation }: ConnectedAgent,
  id: string,
  startedAt: number,
): StoredConversation["facts"] {
  const { name, version } = introduced ?? {};
  return {
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
    startedAt,
  };
}
