// Owns the conversations with agents in this page: the list, which ones have a tab, and the drafts
// of prompts. The bridge decides.

import type { Signal } from "@preact/signals";
import { batch, signal } from "@preact/signals";
import type { Conversation } from "../../protocol/conversation.ts";
import { calledBy, UNNAMED_AGENT } from "../../protocol/names.ts";
import { changed, gone, listed } from "./talks.ts";
import { Transcript } from "./transcript.ts";

/** A tab that shows a conversation. */
export interface ConversationView {
  readonly kind: "conversation";
  readonly conversationId: string;
}

export function talkOf(id: string): ConversationView {
  return { kind: "conversation", conversationId: id };
}

/** Returns an agent's label or, if that is generic, its program's name with the label. */
export function agentOf({ agent: { label, name } }: Pick<Conversation, "agent">): string {
  if (label === "") return name ?? "agent";
  return label.startsWith(UNNAMED_AGENT) ? calledBy(name, label) : label;
}

/** A prompt being written, and its state. */
export interface Draft {
  readonly text: string;
  /** Sent, and neither accepted nor rejected yet. */
  readonly sent: boolean;
  /** Why the prompt was rejected, as a message. */
  readonly refusal?: string | undefined;
}

const EMPTY: Draft = { text: "", sent: false };

/** How long a reloaded page waits for its conversation to be listed: older bridges send no list. */
const AWAIT_MS = 800;

/** The browser tab's storage, for what a reload restores. */
export type Keeping = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Conversations {
  /** Undefined until the first list. */
  readonly all = signal<readonly Conversation[] | undefined>(undefined);
  /** Ended conversations whose tab was closed on this page. */
  readonly dismissed: Signal<ReadonlySet<string>>;
  readonly drafts = signal<ReadonlyMap<string, Draft>>(new Map());
  /** Conversations whose turn is being cancelled. */
  readonly cancelling = signal<ReadonlySet<string>>(new Set());
  /** The grant of the agent with which this page requested a new conversation. */
  #asked: string | undefined;
  /** Whether the tabs wait for the conversation that was in use before a reload. */
  readonly #awaits = signal(false);
  readonly #transcripts = new Map<string, Transcript>();
  readonly #keeping: Keeping | undefined;
  readonly #key: string;

  constructor(workspace: string, keeping: Keeping | undefined, awaits: boolean) {
    this.#keeping = keeping;
    this.#key = `pairpty:conversations:${workspace}`;
    this.#awaits.value = awaits;
    this.dismissed = signal(new Set((keeping?.getItem(this.#key) ?? "").split(" ")));
  }

  /** Returns those with a tab; undefined while one from before a reload may still come. */
  get shown(): readonly Conversation[] | undefined {
    const all = this.all.value;
    if (all === undefined) return this.#awaits.value ? undefined : [];
    const dismissed = this.dismissed.value;
    return all.filter(({ id }) => !dismissed.has(id));
  }

  find(id: string): Conversation | undefined {
    return this.all.value?.find((one) => one.id === id);
  }

  transcript(id: string): Transcript {
    const known = this.#transcripts.get(id) ?? new Transcript();
    this.#transcripts.set(id, known);
    return known;
  }

  draft(id: string): Draft {
    const draft = this.drafts.value.get(id);
    if (draft) return draft;
    const text = this.#keeping?.getItem(`${this.#key}:${id}`) ?? "";
    return text === "" ? EMPTY : { text, sent: false };
  }

  /** Sets the draft's text and clears its rejection. */
  write(id: string, text: string): void {
    this.#set(id, { text, sent: false });
  }

  onSent(id: string): void {
    this.#set(id, { text: this.draft(id).text, sent: true });
  }

  /** Clears the draft if this prompt of the conversation is the one we sent. */
  onPrompt(id: string, text: string): void {
    const draft = this.draft(id);
    if (draft.sent && beginningOf(draft.text) === beginningOf(text)) this.#set(id, EMPTY);
  }

  /** Records a rejection. Returns whether it is shown beside the draft. */
  onRefused(id: string, refusal: string): boolean {
    const draft = this.draft(id);
    this.#asked = undefined;
    this.onCancelled(id);
    if (draft.sent) this.#set(id, { text: draft.text, sent: false, refusal });
    return draft.sent;
  }

  /** Remembers a request for a new conversation with this agent, to enter it when it comes. */
  onAsked(grant: string): void {
    this.#asked = grant;
  }

  /** Whether this is the requested conversation; true once. */
  takeAsked({ id, agent }: Conversation): boolean {
    if (this.#asked !== agent.grant || this.find(id) !== undefined) return false;
    this.#asked = undefined;
    return true;
  }

  onCancelling(id: string): void {
    this.cancelling.value = new Set(this.cancelling.peek()).add(id);
  }

  onCancelled(id: string): void {
    if (this.cancelling.peek().has(id))
      this.cancelling.value = new Set([...this.cancelling.peek()].filter((one) => one !== id));
  }

  onList(conversations: readonly Conversation[], isOpened: (id: string) => boolean): void {
    this.all.value = listed(this.all.peek() ?? [], conversations, isOpened);
  }

  onChanged(conversation: Conversation): void {
    batch(() => {
      this.all.value = changed(this.all.peek() ?? [], conversation);
      if (conversation.state !== "working") this.onCancelled(conversation.id);
    });
  }

  onGone(id: string, isOpened: (id: string) => boolean): void {
    this.all.value = gone(this.all.peek() ?? [], id, isOpened);
  }

  /** Keeps the texts of sent drafts: whether they arrived is known only when the bridge is back. */
  onAway(): void {
    batch(() => {
      for (const transcript of this.#transcripts.values()) transcript.onAway();
      for (const [id, draft] of this.drafts.peek())
        if (draft.sent) this.#set(id, { text: draft.text, sent: false });
      this.cancelling.value = new Set();
      this.#asked = undefined;
    });
  }

  /** Stops waiting for the first list soon: a bridge that has one sends it immediately. */
  waitNoLonger(): void {
    if (this.#awaits.peek()) setTimeout(() => (this.#awaits.value = false), AWAIT_MS);
  }

  dismiss(id: string): void {
    const dismissed = new Set(this.dismissed.peek()).add(id);
    this.dismissed.value = dismissed;
    this.#keeping?.setItem(this.#key, [...dismissed].join(" ").trim());
    this.#transcripts.delete(id);
  }

  #set(id: string, draft: Draft): void {
    this.drafts.value = new Map(this.drafts.peek()).set(id, draft);
    const key = `${this.#key}:${id}`;
    if (draft.text === "") this.#keeping?.removeItem(key);
    else this.#keeping?.setItem(key, draft.text);
  }
}

/** Returns a prompt's beginning, which is all that the bridge keeps of a very long one. */
function beginningOf(text: string): string {
  return text.trim().slice(0, 1000);
}
