// Owns conversations on people's sockets: every link gets the list, callers that open one get its
// entries, and an Edit link may prompt. The service decides what is allowed.

import { compact } from "../../../protocol/compact.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import type { Conversation, Entry } from "../../../protocol/conversation.ts";
import type { ConversationServerMessage } from "../../../protocol/conversation.ts";
import { ConversationClientMessage } from "../../../protocol/conversation.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Audience, Dialect } from "../../callers/dialect-interface.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { getMessageId, parseMessage } from "../../callers/message-parsing.ts";
import type { Conversations, ConversationsEvent } from "../../conversations/conversations.ts";
import type { ActionResult } from "../../conversations/action-result.ts";

/** Characters of one message: as bytes it fits into a frame, whatever they are. */
const MESSAGE_CHARS = 36 * KiB;

const NOT_HERE = "Conversations are available only in the page";

export type ConversationService = Pick<
  Conversations,
  "list" | "getSnapshot" | "prompt" | "cancel" | "setMode" | "openAnother" | "end" | "onEvent"
>;

export class ConversationDialect implements Dialect {
  readonly prefix = "conversation:";
  readonly lateSafeTypes = ["conversation:open", "conversation:close"];
  /** Only through the relay: agents' programs on this machine are not people. */
  readonly doors = ["people"] as const;
  readonly requires = "look";
  readonly unavailableMessage = NOT_HERE;
  readonly #service: ConversationService;
  /** Conversations that each caller has opened. */
  readonly #open = new Map<Caller, Set<string>>();

  constructor(service: ConversationService) {
    this.#service = service;
  }

  /** Sends the list and the opened conversations; also called when the bridge reconnects. */
  onJoin(caller: Caller): void {
    for (const message of encodeList(this.#service.list())) caller.send(message);
    for (const id of this.#open.get(caller) ?? []) this.#show(caller, id);
  }

  onLeave(caller: Caller): void {
    this.#open.delete(caller);
  }

  async onMessage({ caller }: Sender, message: Message): Promise<void> {
    const parsed = parseMessage(ConversationClientMessage, message);
    if (!parsed.ok)
      return caller.send(this.error("bad_request", parsed.error, getMessageId(message)));
    const done = await this.#handle(caller, parsed.value);
    if (!done.ok) caller.send(this.error(done.code, done.error, parsed.value.id));
    return undefined;
  }

  error(code: ErrorCode, error: string, id?: string): string {
    return encode({ type: "conversation:error", ...compact({ id }), code, error });
  }

  /** Sends news to all who may read, and entries to those who opened it. Returns how to stop. */
  onRegister(audience: Audience): () => void {
    return this.#service.onEvent((news) => {
      switch (news.news) {
        case "changed": {
          const { conversation } = news;
          return audience.send(encode({ type: "conversation:changed", conversation }));
        }
        case "gone":
          return audience.send(encode({ type: "conversation:gone", id: news.id }));
        case "entry":
        case "text": {
          const isFor = (caller: Caller) => this.#open.get(caller)?.has(news.id) === true;
          return audience.send(encodeEntryNews(news), isFor);
        }
      }
    });
  }

  #handle(
    caller: Caller,
    message: ConversationClientMessage,
  ): ActionResult | Promise<ActionResult> {
    const { id } = message;
    switch (message.type) {
      case "conversation:open":
        return this.#show(caller, id);
      case "conversation:close":
        this.#open.get(caller)?.delete(id);
        return { ok: true };
      case "conversation:prompt":
        return this.#service.prompt(caller, id, message.text);
      case "conversation:cancel":
        return this.#service.cancel(caller, id);
      case "conversation:mode":
        return this.#service.setMode(caller, id, message.mode);
      case "conversation:new":
        return this.#service.openAnother(caller, id);
      case "conversation:end":
        return this.#service.end(caller, id);
    }
  }

  #show(caller: Caller, id: string): ActionResult {
    const opened = this.#service.getSnapshot(id);
    if (opened === undefined) {
      this.#open.get(caller)?.delete(id);
      return { ok: false, code: "not_found", error: "There is no such conversation" };
    }
    const open = this.#open.get(caller) ?? new Set();
    this.#open.set(caller, open.add(id));
    for (const message of encodeOpened(opened)) caller.send(message);
    return { ok: true };
  }
}

/** Returns the list in one message; conversations that do not fit follow as `changed`. */
export function encodeList(conversations: readonly Conversation[]): string[] {
  const [first, rest] = splitToFit(conversations);
  return [
    encode({ type: "conversation:list", conversations: first }),
    ...rest.map((conversation) => encode({ type: "conversation:changed", conversation })),
  ];
}

/**
 * Returns the entries in one message; those that do not fit follow one by one as new entries. The
 * first message has the revision before them, so that counting ends at the current one.
 */
export function encodeOpened(opened: {
  readonly conversation: Conversation;
  readonly entries: readonly Entry[];
  readonly isCut: boolean;
}): string[] {
  const facts = JSON.stringify(opened.conversation).length;
  const [entries, rest] = splitToFit(opened.entries, MESSAGE_CHARS - facts);
  const { id, revision: last } = opened.conversation;
  const revision = last - rest.length;
  const conversation = { ...opened.conversation, revision };
  const { isCut } = opened;
  return [
    encode({ type: "conversation:opened", conversation, entries, isCut }),
    ...rest.map((entry, index) =>
      encode({ type: "conversation:entry", id, revision: revision + index + 1, entry }),
    ),
  ];
}

function splitToFit<T>(values: readonly T[], maxChars = MESSAGE_CHARS): [T[], T[]] {
  let chars = 0;
  const count = values.findIndex((value) => {
    chars += JSON.stringify(value).length;
    return chars > maxChars;
  });
  return count === -1 ? [[...values], []] : [values.slice(0, count), values.slice(count)];
}

function encodeEntryNews(news: Extract<ConversationsEvent, { news: "entry" | "text" }>): string {
  const { id, revision } = news;
  return news.news === "entry"
    ? encode({ type: "conversation:entry", id, revision, entry: news.entry })
    : encode({ type: "conversation:text", id, revision, entry: news.entry, text: news.text });
}

function encode(message: ConversationServerMessage): string {
  return JSON.stringify(message);
}
