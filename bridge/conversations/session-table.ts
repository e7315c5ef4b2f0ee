// Owns which sessions a connected agent has, by the agent's own ids, which are being opened, and the
// updates that arrive before their session is known. Sends nothing.

import { AllowedCommands } from "./agent-command.ts";
import type { Conversation } from "./conversation.ts";

/** Updates that may arrive before the answer to `session/new` names their session. */
const MAX_EARLY_UPDATES = 200;

/** One of a connected agent's sessions. */
export interface AgentSession {
  readonly conversation: Conversation;
  readonly allowedCommands: AllowedCommands;
  /** Subjects of the open approvals. */
  readonly questions: Set<string>;
  isLoading: boolean;
}

interface EarlyUpdate {
  readonly session: string;
  readonly update: unknown;
}

export class SessionTable {
  readonly #now: (() => number) | undefined;
  readonly #sessions = new Map<string, AgentSession>();
  readonly #opening = new Set<Conversation>();
  readonly #early: EarlyUpdate[] = [];

  constructor(now: (() => number) | undefined) {
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<AgentSession> {
    return this.#sessions.values();
  }

  get(id: string): AgentSession | undefined {
    return this.#sessions.get(id);
  }

  find(conversation: Conversation): AgentSession | undefined {
    const { session: id } = conversation;
    const session = id === undefined ? undefined : this.#sessions.get(id);
    return session?.conversation === conversation ? session : undefined;
  }

  add(id: string, conversation: Conversation): AgentSession {
    conversation.session = id;
    const session = {
      conversation,
      allowedCommands: new AllowedCommands(this.#now),
      questions: new Set<string>(),
      isLoading: false,
    };
    this.#sessions.set(id, session);
    return session;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  clear(): void {
    this.#sessions.clear();
  }

  /** Marks a conversation as requested from the agent; returns the function that unmarks it. */
  markOpening(conversation: Conversation): () => void {
    this.#opening.add(conversation);
    return () => void this.#opening.delete(conversation);
  }

  isOpening(conversation: Conversation): boolean {
    return this.#opening.has(conversation);
  }

  /** Keeps an update of an unknown session while one is being opened. */
  keepEarly(session: string, update: unknown): void {
    if (this.#opening.size === 0 || this.#early.length >= MAX_EARLY_UPDATES) return;
    this.#early.push({ session, update });
  }

  /** Returns the kept updates, once. */
  takeEarly(): EarlyUpdate[] {
    return this.#early.splice(0);
  }
}
