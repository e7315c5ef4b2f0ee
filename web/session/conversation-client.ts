// Owns the conversation dialect in the page: which conversations are open here, their entries, and
// opening again when some are missing. Does not draw.

import type {
  Conversation,
  ConversationClientMessage,
  ConversationServerMessage,
} from "../../protocol/conversation.ts";
import type { View } from "../views/view.ts";
import type { Views } from "../views/views.ts";
import type { Conversations } from "./conversations.ts";
import { toConversationView } from "./conversations.ts";
import type { PageDialect, DialectDeps } from "./dialect.ts";
import type { ApplyResult } from "./transcript.ts";

export interface ConversationClientDeps {
  readonly conversations: Conversations;
  readonly views: Pick<Views<View>, "markUnread" | "isOpened" | "enter">;
  /** Whether the connected bridge accepts requests. */
  readonly isListed: () => boolean;
  readonly send: (message: ConversationClientMessage) => boolean;
  readonly toast: (text: string) => void;
}

export class ConversationClient implements PageDialect<ConversationServerMessage> {
  readonly #deps: ConversationClientDeps;
  /** Conversations that a view shows. */
  readonly #open = new Set<string>();

  constructor(deps: ConversationClientDeps) {
    this.#deps = deps;
  }

  /** Opens a conversation for a view; returns its end. */
  open(id: string): () => void {
    this.#open.add(id);
    if (this.#deps.isListed()) this.#requestOpen(id);
    return () => {
      this.#open.delete(id);
      this.#deps.conversations.getTranscript(id).onAway();
      this.#deps.send({ type: "conversation:close", id });
    };
  }

  onAway(): void {
    this.#deps.conversations.onAway();
  }

  get handlers(): PageDialect<ConversationServerMessage>["handlers"] {
    const { conversations, toast } = this.#deps;
    return {
      "conversation:list": (message) => {
        conversations.onList(message.conversations, this.#isOpened);
        for (const id of this.#open) this.#requestOpen(id);
      },
      "conversation:changed": ({ conversation }) => {
        const isNews = this.#isNews(conversation);
        const isRequested = conversations.takeRequested(conversation);
        conversations.onChanged(conversation);
        if (isRequested) this.#deps.views.enter(toConversationView(conversation.id));
        else if (isNews) this.#deps.views.markUnread(toConversationView(conversation.id));
      },
      "conversation:gone": ({ id }) => conversations.onGone(id, this.#isOpened),
      "conversation:opened": (message) => {
        const { id, revision } = message.conversation;
        const latest = Math.max(conversations.find(id)?.revision ?? 0, revision);
        conversations.onChanged({ ...message.conversation, revision: latest });
        if (this.#open.has(id)) conversations.getTranscript(id).onOpened(message, latest);
      },
      "conversation:entry": (message) => {
        const { id, entry } = message;
        if (!this.#open.has(id)) return;
        if (entry.kind === "prompt") conversations.onPrompt(id, entry.text);
        this.#onApplied(id, conversations.getTranscript(id).onEntry(message));
      },
      "conversation:text": (message) => {
        const { id } = message;
        if (this.#open.has(id))
          this.#onApplied(id, conversations.getTranscript(id).onText(message));
      },
      "conversation:error": ({ id, error }) => {
        if (id === undefined || !conversations.onRefused(id, error)) toast(error);
      },
    };
  }

  #onApplied(id: string, result: ApplyResult): void {
    if (result === "applied") this.#deps.views.markUnread(toConversationView(id));
    if (result === "skipped") this.#requestOpen(id);
  }

  /** Whether state or revision changed; a conversation not opened here has no other news. */
  #isNews({ id, state, revision }: Conversation): boolean {
    const before = this.#deps.conversations.all.peek()?.find((one) => one.id === id);
    return before?.state !== state || before.revision !== revision;
  }

  #requestOpen(id: string): void {
    this.#deps.send({ type: "conversation:open", id });
  }

  #isOpened = (id: string): boolean => this.#deps.views.isOpened(toConversationView(id));
}

export function createConversationClient({
  store,
  send,
}: DialectDeps<ConversationClientMessage>): ConversationClient {
  return new ConversationClient({
    conversations: store.conversations,
    views: store.views,
    isListed: () => store.isListed.peek(),
    send,
    toast: (text) => store.toast(text),
  });
}
