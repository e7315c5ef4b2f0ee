// Owns the conversations with agents in this page: the list, which ones have a tab, and the drafts
// of prompts. The bridge decides. Also owns pure changes to the list of conversations, as the
// bridge reports them. Ordered by their start.

import type { Signal } from "@preact/signals";
import { batch, signal } from "@preact/signals";
import type { Conversation } from "../../protocol/conversation.ts";
import { displayName, UNNAMED_AGENT } from "../../protocol/names.ts";
import { Transcript } from "./transcript.ts";

/** A tab that shows a conversation. */
export interface ConversationView {
  readonly kind: "conversation";
  readonly conversationId: string;
}

export function toConversationView(id: string): ConversationView {
  return { kind: "conversation", conversationId: id };
}

/** Returns an agent's label or, if that is generic, its program's name with the label. */
export function formatAgentName({ agent: { label, name } }: Pick<Conversation, "agent">): string {
  if (label === "") return name ?? "agent";
  return label.startsWith(UNNAMED_AGENT) ? displayName({ name, label }) : label;
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
const LIST_WAIT_MS = 800;

/** The browser tab's storage, for what a reload restores. */
export type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Conversations {
  /** Undefined until the first list. */
  readonly all = signal<readonly Conversation[] | undefined>(undefined);
  /** Ended conversations whose tab was closed on this page. */
  readonly dismissed: Signal<ReadonlySet<string>>;
  readonly drafts = signal<ReadonlyMap<string, Draft>>(new Map());
  /** Conversations whose turn is being cancelled. */
  readonly cancelling = signal<ReadonlySet<string>>(new Set());
  /** The grant of the agent with which this page requested a new conversation. */
  #requestedGrant: string | undefined;
  /** Whether the tabs wait for the conversation that was in use before a reload. */
  readonly #isWaiting = signal(false);
  readonly #transcripts = new Map<string, Transcript>();
  readonly #storage: TabStorage | undefined;
  readonly #key: string;

  constructor(workspace: string, storage: TabStorage | undefined, isWaiting: boolean) {
    this.#storage = storage;
    this.#key = `pairpty:conversations:${workspace}`;
    this.#isWaiting.value = isWaiting;
    this.dismissed = signal(new Set((storage?.getItem(this.#key) ?? "").split(" ")));
  }

  /** Returns those with a tab; undefined while one from before a reload may still come. */
  get shown(): readonly Conversation[] | undefined {
    const all = this.all.value;
    if (all === undefined) return this.#isWaiting.value ? undefined : [];
    const dismissed = this.dismissed.value;
    return all.filter(({ id }) => !dismissed.has(id));
  }

  find(id: string): Conversation | undefined {
    return this.all.value?.find((one) => one.id === id);
  }

  getTranscript(id: string): Transcript {
    const known = this.#transcripts.get(id) ?? new Transcript();
    this.#transcripts.set(id, known);
    return known;
  }

  draft(id: string): Draft {
    const draft = this.drafts.value.get(id);
    if (draft) return draft;
    const text = this.#storage?.getItem(`${this.#key}:${id}`) ?? "";
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
    if (draft.sent && getBeginning(draft.text) === getBeginning(text)) this.#set(id, EMPTY);
  }

  /** Records a rejection. Returns whether it is shown beside the draft. */
  onRefused(id: string, refusal: string): boolean {
    const draft = this.draft(id);
    this.#requestedGrant = undefined;
    this.onCancelled(id);
    if (draft.sent) this.#set(id, { text: draft.text, sent: false, refusal });
    return draft.sent;
  }

  /** Remembers a request for a new conversation with this agent, to enter it when it comes. */
  onRequested(grant: string): void {
    this.#requestedGrant = grant;
  }

  /** Whether this is the requested conversation; true once. */
  takeRequested({ id, agent }: Conversation): boolean {
    if (this.#requestedGrant !== agent.grant || this.find(id) !== undefined) return false;
    this.#requestedGrant = undefined;
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
    this.all.value = mergeConversations(this.all.peek() ?? [], conversations, isOpened);
  }

  onChanged(conversation: Conversation): void {
    batch(() => {
      this.all.value = putConversation(this.all.peek() ?? [], conversation);
      if (conversation.state !== "working") this.onCancelled(conversation.id);
    });
  }

  onGone(id: string, isOpened: (id: string) => boolean): void {
    this.all.value = removeConversation(this.all.peek() ?? [], id, isOpened);
  }

  /** Keeps the texts of sent drafts: whether they arrived is known only when the bridge is back. */
  onAway(): void {
    batch(() => {
      for (const transcript of this.#transcripts.values()) transcript.onAway();
      for (const [id, draft] of this.drafts.peek())
        if (draft.sent) this.#set(id, { text: draft.text, sent: false });
      this.cancelling.value = new Set();
      this.#requestedGrant = undefined;
    });
  }

  /** Stops waiting for the first list soon: a bridge that has one sends it immediately. */
  stopWaiting(): void {
    if (this.#isWaiting.peek()) setTimeout(() => (this.#isWaiting.value = false), LIST_WAIT_MS);
  }

  dismiss(id: string): void {
    const dismissed = new Set(this.dismissed.peek()).add(id);
    this.dismissed.value = dismissed;
    this.#storage?.setItem(this.#key, [...dismissed].join(" ").trim());
    this.#transcripts.delete(id);
  }

  #set(id: string, draft: Draft): void {
    this.drafts.value = new Map(this.drafts.peek()).set(id, draft);
    const key = `${this.#key}:${id}`;
    if (draft.text === "") this.#storage?.removeItem(key);
    else this.#storage?.setItem(key, draft.text);
  }
}

/** Returns a prompt's beginning, which is all that the bridge keeps of a very long one. */
function getBeginning(text: string): string {
  return text.trim().slice(0, 1000);
}

export type ConversationList = readonly Conversation[];

/** At most this many that ended before this page opened: more tabs would not help. */
const MAX_ENDED_TABS = 6;

const NO_LONGER_KEPT = "The host no longer has it.";

/** Whether its tab was opened on this page: then it stays, shown as ended. */
type IsOpened = (id: string) => boolean;

/** Merges the full list, sent on joining and when the bridge is back. */
function mergeConversations(
  all: ConversationList,
  received: ConversationList,
  isOpened: IsOpened,
): ConversationList {
  const known = new Set(all.map(({ id }) => id));
  const ended = received.filter(({ id, state }) => state === "ended" && !known.has(id));
  const left = new Set(sortByStart(ended).slice(0, -MAX_ENDED_TABS));
  const ids = new Set(received.map(({ id }) => id));
  const missed = all.filter(({ id }) => !ids.has(id) && isOpened(id)).map(markEnded);
  return sortByStart([...missed, ...received.filter((one) => !left.has(one))]);
}

function putConversation(all: ConversationList, conversation: Conversation): ConversationList {
  const isKnown = all.some(({ id }) => id === conversation.id);
  if (!isKnown) return sortByStart([...all, conversation]);
  return all.map((one) => (one.id === conversation.id ? conversation : one));
}

function removeConversation(
  all: ConversationList,
  id: string,
  isOpened: IsOpened,
): ConversationList {
  if (!isOpened(id)) return all.filter((one) => one.id !== id);
  return all.map((one) => (one.id === id ? markEnded(one) : one));
}

function markEnded(conversation: Conversation): Conversation {
  if (conversation.state === "ended") return conversation;
  return { ...conversation, state: "ended", why: NO_LONGER_KEPT };
}

function sortByStart(all: ConversationList): ConversationList {
  return all.toSorted((one, other) => one.startedAt - other.startedAt);
}
