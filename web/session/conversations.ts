// Owns the conversations with agents as this page knows them: which there are, which have a tab, what
// is being written to them. Decides nothing: the bridge does.

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

/** An agent by its token's label; where that names nobody, with what its program calls itself. */
export function agentOf({ agent: { label, name } }: Pick<Conversation, "agent">): string {
  if (label === "") return name ?? "agent";
  return label.startsWith(UNNAMED_AGENT) ? calledBy(name, label) : label;
}

/** What this page wants to say, and how that stands. */
export interface Draft {
  readonly text: string;
  /** Sent, and neither taken nor refused yet. */
  readonly sent: boolean;
  /** Why it was refused, as a sentence. */
  readonly refusal?: string | undefined;
}

const EMPTY: Draft = { text: "", sent: false };

/** How long a reload waits to be told of a conversation that was in use: older bridges have none. */
const AWAIT_MS = 800;

/** For the tab of a browser: what a reload should find again. */
export type Keeping = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Conversations {
  /** Undefined until the first list. */
  readonly all = signal<readonly Conversation[] | undefined>(undefined);
  /** Ended ones whose tab was closed on this page. */
  readonly dismissed: Signal<ReadonlySet<string>>;
  readonly drafts = signal<ReadonlyMap<string, Draft>>(new Map());
  /** Somebody asked for the end of the turn, and it has not come yet. */
  readonly cancelling = signal<ReadonlySet<string>>(new Set());
  /** Whose next conversation this page asked for, by grant. */
  #asked: string | undefined;
  /** Which the tabs wait for: the one in use before a reload. */
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

  /** Those with a tab; undefined while a tab from before a reload may still come. */
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

  /** What was refused is no longer so once it is another text. */
  write(id: string, text: string): void {
    this.#set(id, { text, sent: false });
  }

  onSent(id: string): void {
    this.#set(id, { text: this.draft(id).text, sent: true });
  }

  /** A prompt is part of the conversation: if it was ours, its text has left the page. */
  onPrompt(id: string, text: string): void {
    const draft = this.draft(id);
    if (draft.sent && beginningOf(draft.text) === beginningOf(text)) this.#set(id, EMPTY);
  }

  /** True where the refusal is said beside the text that was refused. */
  onRefused(id: string, refusal: string): boolean {
    const draft = this.draft(id);
    this.#asked = undefined;
    this.onCancelled(id);
    if (draft.sent) this.#set(id, { text: draft.text, sent: false, refusal });
    return draft.sent;
  }

  /** Another with the agent of this grant: whoever asks wants to be in it. */
  onAsked(grant: string): void {
    this.#asked = grant;
  }

  /** Whether this is it; true once. */
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

  /** Nobody knows whether what was sent arrived: the text stays, and the conversation tells. */
  onAway(): void {
    batch(() => {
      for (const transcript of this.#transcripts.values()) transcript.onAway();
      for (const [id, draft] of this.drafts.peek())
        if (draft.sent) this.#set(id, { text: draft.text, sent: false });
      this.cancelling.value = new Set();
      this.#asked = undefined;
    });
  }

  /** The rest of the page is there: conversations come at once, or the bridge knows of none. */
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

/** Of a very long prompt the bridge keeps the beginning. */
function beginningOf(text: string): string {
  return text.trim().slice(0, 1000);
}
