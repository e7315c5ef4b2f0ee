// Owns one conversation as people see it: its facts, state and entries, and which changes to send.
// Knows no agent and no socket. Changes are batched, about twenty times a second.

import type {
  Conversation as WireConversation,
  ConversationState,
  Entry,
} from "../../protocol/conversation.ts";
import type { ReduceResult, Transcript, TranscriptEvent } from "./transcript.ts";
import { EMPTY_TRANSCRIPT, reduceTranscript } from "./transcript.ts";
import type { Modes } from "./update-parser.ts";
import { cut } from "./bounded-text.ts";

/** Agents send text word by word; batching it is just as readable. */
export const BATCH_MS = 50;
const TITLE_CHARS = 60;
const WHY_CHARS = 1_000;

export type ConversationFacts = Pick<
  WireConversation,
  "id" | "agent" | "via" | "cwd" | "isolation" | "startedAt"
>;

/** Changes to send: `changed` to everyone, the others to pages that opened the conversation. */
export type ConversationChange =
  | { readonly news: "changed"; readonly conversation: WireConversation }
  | {
      readonly news: "entry";
      readonly id: string;
      readonly revision: number;
      readonly entry: Entry;
    }
  | {
      readonly news: "text";
      readonly id: string;
      readonly revision: number;
      readonly entry: string;
      readonly text: string;
    };

/** Stored data from which the next bridge restores the conversation. */
export interface StoredConversation {
  readonly facts: ConversationFacts;
  readonly session: string | undefined;
  /** Whether the agent can reload it. */
  readonly canLoad: boolean;
  readonly title: string;
  readonly state: ConversationState;
  readonly why?: string | undefined;
  readonly entries: readonly Entry[];
  readonly isCut: boolean;
  readonly next: number;
}

/** An unsent change of an entry: the whole entry, or text to append. */
type PendingChange = { readonly whole: true } | { readonly whole: false; readonly text: string };

export class Conversation {
  readonly facts: ConversationFacts;
  /** The agent's own id; undefined until the agent has answered. */
  session: string | undefined;
  canLoad = false;
  readonly #send: (news: ConversationChange) => void;
  readonly #now: () => number;
  readonly #pending = new Map<string, PendingChange>();
  #transcript: Transcript = EMPTY_TRANSCRIPT;
  #state: ConversationState = "starting";
  #why: string | undefined;
  #title = "";
  #modes: Modes | undefined;
  #commands: WireConversation["commands"] = [];
  #revision = 0;
  #isChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    facts: ConversationFacts,
    send: (news: ConversationChange) => void,
    now: () => number = Date.now,
  ) {
    this.facts = facts;
    this.#send = send;
    this.#now = now;
  }

  static from(
    stored: StoredConversation,
    send: (news: ConversationChange) => void,
    now: () => number = Date.now,
  ): Conversation {
    const { entries, isCut, next } = stored;
    const conversation = new Conversation(stored.facts, send, now);
    const chars = JSON.stringify(entries).length;
    conversation.#transcript = { entries, chars, isCut, next };
    conversation.session = stored.session;
    conversation.canLoad = stored.canLoad;
    conversation.#title = stored.title;
    conversation.#state = stored.state;
    conversation.#why = stored.why;
    conversation.#revision = entries.length;
    return conversation;
  }

  get id(): string {
    return this.facts.id;
  }

  get state(): ConversationState {
    return this.#state;
  }

  get entries(): readonly Entry[] {
    return this.#transcript.entries;
  }

  toStored(): StoredConversation {
    const { entries, isCut, next } = this.#transcript;
    return {
      facts: this.facts,
      session: this.session,
      canLoad: this.canLoad,
      title: this.#title,
      state: this.#state,
      why: this.#why,
      entries,
      isCut,
      next,
    };
  }

  /** Returns the conversation as it is sent to clients. */
  describe(): WireConversation {
    const modes = this.#modes;
    return {
      ...this.facts,
      title: this.#title,
      state: this.#state,
      ...(this.#why === undefined ? {} : { why: this.#why }),
      ...(modes === undefined
        ? {}
        : { modes: { current: modes.current, available: [...modes.available] } }),
      commands: this.#commands,
      revision: this.#revision,
    };
  }

  /** Returns all entries at the current revision, after sending pending changes. */
  toSnapshot(): { conversation: WireConversation; entries: readonly Entry[]; isCut: boolean } {
    this.flush();
    const { entries, isCut } = this.#transcript;
    return { conversation: this.describe(), entries, isCut };
  }

  apply(event: TranscriptEvent): void {
    this.#applyReduced(reduceTranscript(this.#transcript, event, this.#now()));
    if (event.event === "prompt" && this.#title === "") this.setTitle(event.text);
  }

  setState(state: ConversationState, why?: string): void {
    if (this.#state === state && this.#why === why) return;
    this.#state = state;
    this.#why = why === undefined ? undefined : cut(why, WHY_CHARS);
    this.#markChanged();
  }

  setTitle(title: string): void {
    this.#title = cut(title.replaceAll(/\s+/g, " ").trim(), TITLE_CHARS);
    this.#markChanged();
  }

  setCommands(commands: WireConversation["commands"]): void {
    this.#commands = commands;
    this.#markChanged();
  }

  setModes(modes: Modes | undefined): void {
    this.#modes = modes;
    this.#markChanged();
  }

  setMode(current: string): void {
    if (this.#modes !== undefined) this.setModes({ ...this.#modes, current });
  }

  /** Removes all entries, before the agent replays the conversation. */
  clear(): void {
    this.#transcript = { ...EMPTY_TRANSCRIPT, next: this.#transcript.next };
    this.#pending.clear();
    // Skips a revision, so that pages notice the gap and reopen it.
    this.#revision += 2;
    this.#markChanged();
  }

  /** Puts the entries back if the agent could not replay them. */
  restore(entries: readonly Entry[]): void {
    const chars = JSON.stringify(entries).length;
    this.#transcript = { ...this.#transcript, entries, chars };
    for (const { id } of entries) this.#pending.set(id, { whole: true });
    this.#schedule();
  }

  /** Sends pending changes now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = [...this.#pending];
    this.#pending.clear();
    for (const [id, pending] of waiting) this.#sendEntry(id, pending);
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#send({ news: "changed", conversation: this.describe() });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #sendEntry(entryId: string, pending: PendingChange): void {
    const { id } = this;
    if (!pending.whole) {
      this.#revision += 1;
      const revision = this.#revision;
      return this.#send({ news: "text", id, revision, entry: entryId, text: pending.text });
    }
    const entry = this.#transcript.entries.findLast((one) => one.id === entryId);
    // The entry was dropped before it was sent.
    if (entry === undefined) return undefined;
    this.#revision += 1;
    return this.#send({ news: "entry", id, revision: this.#revision, entry });
  }

  #applyReduced({ transcript, changes }: ReduceResult): void {
    this.#transcript = transcript;
    for (const change of changes) {
      if (change.change === "entry") this.#pending.set(change.entry.id, { whole: true });
      else {
        const known = this.#pending.get(change.id);
        if (known?.whole === true) continue;
        const text = (known?.text ?? "") + change.text;
        this.#pending.set(change.id, { whole: false, text });
      }
    }
    if (changes.length > 0) this.#schedule();
  }

  #markChanged(): void {
    this.#isChanged = true;
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
    this.#timer.unref();
  }
}
