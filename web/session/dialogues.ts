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
import { talkOf } from "./conversations.ts";
import type { PageDialect, Speaking } from "./dialect.ts";
import type { Following } from "./transcript.ts";

export interface DialoguesPort {
  readonly conversations: Conversations;
  readonly views: Pick<Views<View>, "mark" | "isOpened" | "enter">;
  /** Whether the connected bridge accepts requests. */
  readonly isListed: () => boolean;
  readonly send: (message: ConversationClientMessage) => boolean;
  readonly toast: (text: string) => void;
}

export class Dialogues implements PageDialect<ConversationServerMessage> {
  readonly #port: DialoguesPort;
  /** Conversations that a view shows. */
  readonly #open = new Set<string>();

  constructor(port: DialoguesPort) {
    this.#port = port;
  }

  /** Opens a conversation for a view; returns its end. */
  open(id: string): () => void {
    this.#open.add(id);
    if (this.#port.isListed()) this.#ask(id);
    return () => {
      this.#open.delete(id);
      this.#port.conversations.transcript(id).onAway();
      this.#port.send({ type: "conversation:close", id });
    };
  }

  onAway(): void {
    this.#port.conversations.onAway();
  }

  get handlers(): PageDialect<ConversationServerMessage>["handlers"] {
    const { conversations, toast } = this.#port;
    return {
      "conversation:list": (message) => {
        conversations.onList(message.conversations, this.#isOpened);
        for (const id of this.#open) this.#ask(id);
      },
      "conversation:changed": ({ conversation }) => {
        const isNews = this.#isNews(conversation);
        const isAsked = conversations.takeAsked(conversation);
        conversations.onChanged(conversation);
        if (isAsked) this.#port.views.enter(talkOf(conversation.id));
        else if (isNews) this.#port.views.mark(talkOf(conversation.id));
      },
      "conversation:gone": ({ id }) => conversations.onGone(id, this.#isOpened),
      "conversation:opened": (message) => {
        const { id, revision } = message.conversation;
        const latest = Math.max(conversations.find(id)?.revision ?? 0, revision);
        conversations.onChanged({ ...message.conversation, revision: latest });
        if (this.#open.has(id)) conversations.transcript(id).onOpened(message, latest);
      },
      "conversation:entry": (message) => {
        const { id, entry } = message;
        if (!this.#open.has(id)) return;
        if (entry.kind === "prompt") conversations.onPrompt(id, entry.text);
        this.#followed(id, conversations.transcript(id).onEntry(message));
      },
      "conversation:text": (message) => {
        const { id } = message;
        if (this.#open.has(id)) this.#followed(id, conversations.transcript(id).onText(message));
      },
      "conversation:error": ({ id, error }) => {
        if (id === undefined || !conversations.onRefused(id, error)) toast(error);
      },
    };
  }

  #followed(id: string, following: Following): void {
    if (following === "applied") this.#port.views.mark(talkOf(id));
    if (following === "skipped") this.#ask(id);
  }

  /** Whether state or revision changed; a conversation not opened here has no other news. */
  #isNews({ id, state, revision }: Conversation): boolean {
    const before = this.#port.conversations.all.peek()?.find((one) => one.id === id);
    return before?.state !== state || before.revision !== revision;
  }

  #ask(id: string): void {
    this.#port.send({ type: "conversation:open", id });
  }

  #isOpened = (id: string): boolean => this.#port.views.isOpened(talkOf(id));
}

export function dialoguesOf({ store, send }: Speaking<ConversationClientMessage>): Dialogues {
  return new Dialogues({
    conversations: store.conversations,
    views: store.views,
    isListed: () => store.listed.peek(),
    send,
    toast: (text) => store.toast(text),
  });
}
