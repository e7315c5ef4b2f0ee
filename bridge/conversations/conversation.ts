// Owns one conversation as people see it: its facts, state and entries, and which changes to send.
// Knows no agent and no socket. Changes are batched, about twenty times a second.

import type {
  Conversation as Told,
  ConversationState,
  Entry,
} from "../../protocol/conversation.ts";
import type { Reduced, Transcript, TranscriptEvent } from "./transcript.ts";
import { EMPTY, reduce } from "./transcript.ts";
import type { Modes } from "./updates.ts";
import { cut } from "./updates.ts";

/** Agents send text word by word; batching it is just as readable. */
export const NEWS_MS = 50;
const TITLE_CHARS = 60;
const WHY_CHARS = 1_000;

export type Facts = Pick<Told, "id" | "agent" | "via" | "cwd" | "isolation" | "startedAt">;

/** Changes to send: `changed` to everyone, the others to pages that opened the conversation. */
export type ConversationNews =
  | { readonly news: "changed"; readonly conversation: Told }
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
export interface Kept {
  readonly facts: Facts;
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
type Pending = { readonly whole: true } | { readonly whole: false; readonly text: string };

export class Conversation {
  readonly facts: Facts;
  /** The agent's own id; undefined until the agent has answered. */
  session: string | undefined;
  canLoad = false;
  readonly #tell: (news: ConversationNews) => void;
  readonly #now: () => number;
  readonly #pending = new Map<string, Pending>();
  #transcript: Transcript = EMPTY;
  #state: ConversationState = "starting";
  #why: string | undefined;
  #title = "";
  #modes: Modes | undefined;
  #commands: Told["commands"] = [];
  #revision = 0;
  #isChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(facts: Facts, tell: (news: ConversationNews) => void, now: () => number = Date.now) {
    this.facts = facts;
    this.#tell = tell;
    this.#now = now;
  }

  static from(
    kept: Kept,
    tell: (news: ConversationNews) => void,
    now: () => number = Date.now,
  ): Conversation {
    const { entries, isCut, next } = kept;
    const conversation = new Conversation(kept.facts, tell, now);
    const chars = JSON.stringify(entries).length;
    conversation.#transcript = { entries, chars, isCut, next };
    conversation.session = kept.session;
    conversation.canLoad = kept.canLoad;
    conversation.#title = kept.title;
    conversation.#state = kept.state;
    conversation.#why = kept.why;
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

  keep(): Kept {
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
  told(): Told {
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
  opened(): { conversation: Told; entries: readonly Entry[]; isCut: boolean } {
    this.flush();
    const { entries, isCut } = this.#transcript;
    return { conversation: this.told(), entries, isCut };
  }

  take(event: TranscriptEvent): void {
    this.#apply(reduce(this.#transcript, event, this.#now()));
    if (event.event === "prompt" && this.#title === "") this.entitle(event.text);
  }

  become(state: ConversationState, why?: string): void {
    if (this.#state === state && this.#why === why) return;
    this.#state = state;
    this.#why = why === undefined ? undefined : cut(why, WHY_CHARS);
    this.#change();
  }

  entitle(title: string): void {
    this.#title = cut(title.replaceAll(/\s+/g, " ").trim(), TITLE_CHARS);
    this.#change();
  }

  offer(commands: Told["commands"]): void {
    this.#commands = commands;
    this.#change();
  }

  setModes(modes: Modes | undefined): void {
    this.#modes = modes;
    this.#change();
  }

  setMode(current: string): void {
    if (this.#modes !== undefined) this.setModes({ ...this.#modes, current });
  }

  /** Removes all entries, before the agent replays the conversation. */
  clear(): void {
    this.#transcript = { ...EMPTY, next: this.#transcript.next };
    this.#pending.clear();
    // Skips a revision, so that pages notice the gap and reopen it.
    this.#revision += 2;
    this.#change();
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
    for (const [id, pending] of waiting) this.#tellEntry(id, pending);
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#tell({ news: "changed", conversation: this.told() });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #tellEntry(entryId: string, pending: Pending): void {
    const { id } = this;
    if (!pending.whole) {
      this.#revision += 1;
      const revision = this.#revision;
      return this.#tell({ news: "text", id, revision, entry: entryId, text: pending.text });
    }
    const entry = this.#transcript.entries.findLast((one) => one.id === entryId);
    // The entry was dropped before it was sent.
    if (entry === undefined) return undefined;
    this.#revision += 1;
    return this.#tell({ news: "entry", id, revision: this.#revision, entry });
  }

  #apply({ transcript, changes }: Reduced): void {
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

  #change(): void {
    this.#isChanged = true;
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), NEWS_MS);
    this.#timer.unref();
  }
}
