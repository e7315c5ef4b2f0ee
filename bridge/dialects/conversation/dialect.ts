// Owns conversations on people's sockets: every link gets the list, callers that open one get its
// entries, and an Edit link may prompt. The service decides what is allowed.

import type { ErrorCode } from "../../../protocol/codes.ts";
import type { Conversation, Entry } from "../../../protocol/conversation.ts";
import type { ConversationServerMessage } from "../../../protocol/conversation.ts";
import { ConversationClientMessage } from "../../../protocol/conversation.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Audience, Dialect } from "../../callers/hub.ts";
import type { Message } from "../../callers/reading.ts";
import { idOf, readMessage } from "../../callers/reading.ts";
import type { Conversations, Done, ServiceNews } from "../../conversations/service.ts";

/** Characters of one message: as bytes it fits into a frame, whatever they are. */
const MESSAGE_CHARS = 36 * KiB;

const NOT_HERE = "Conversations are available only in the page";

export type Spoken = Pick<
  Conversations,
  "list" | "opened" | "prompt" | "cancel" | "setMode" | "another" | "end" | "onNews"
>;

export class ConversationDialect implements Dialect {
  readonly prefix = "conversation:";
  readonly harmlessTypes = ["conversation:open", "conversation:close"];
  /** Only through the relay: agents' programs on this machine are not people. */
  readonly doors = ["people"] as const;
  readonly forThoseWhoMay = "look";
  readonly elsewhere = NOT_HERE;
  readonly #service: Spoken;
  /** Conversations that each caller has opened. */
  readonly #open = new Map<Caller, Set<string>>();

  constructor(service: Spoken) {
    this.#service = service;
  }

  /** Sends the list and the opened conversations; also called when the bridge reconnects. */
  joined(caller: Caller): void {
    for (const message of listWords(this.#service.list())) caller.tell(message);
    for (const id of this.#open.get(caller) ?? []) this.#show(caller, id);
  }

  left(caller: Caller): void {
    this.#open.delete(caller);
  }

  async message(caller: Caller, message: Message): Promise<void> {
    const parsed = readMessage(ConversationClientMessage, message);
    if (!parsed.ok) return caller.tell(this.error("bad_request", parsed.error, idOf(message)));
    const done = await this.#carryOut(caller, parsed.value);
    if (!done.ok) caller.tell(this.error(done.code, done.error, parsed.value.id));
    return undefined;
  }

  error(code: ErrorCode, error: string, id?: string): string {
    return words({ type: "conversation:error", ...(id === undefined ? {} : { id }), code, error });
  }

  /** Sends news to all who may read, and entries to those who opened it. Returns how to stop. */
  opened(audience: Audience): () => void {
    return this.#service.onNews((news) => {
      switch (news.news) {
        case "changed": {
          const { conversation } = news;
          return audience.tell(words({ type: "conversation:changed", conversation }));
        }
        case "gone":
          return audience.tell(words({ type: "conversation:gone", id: news.id }));
        case "entry":
        case "text": {
          const isFor = (caller: Caller) => this.#open.get(caller)?.has(news.id) === true;
          return audience.tell(pieceWords(news), isFor);
        }
      }
    });
  }

  #carryOut(caller: Caller, message: ConversationClientMessage): Done | Promise<Done> {
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
        return this.#service.another(caller, id);
      case "conversation:end":
        return this.#service.end(caller, id);
    }
  }

  #show(caller: Caller, id: string): Done {
    const opened = this.#service.opened(id);
    if (opened === undefined) {
      this.#open.get(caller)?.delete(id);
      return { ok: false, code: "not_found", error: "There is no such conversation" };
    }
    const open = this.#open.get(caller) ?? new Set();
    this.#open.set(caller, open.add(id));
    for (const message of openedWords(opened)) caller.tell(message);
    return { ok: true };
  }
}

/** Returns the list in one message; conversations that do not fit follow as `changed`. */
export function listWords(conversations: readonly Conversation[]): string[] {
  const [first, rest] = fitting(conversations);
  return [
    words({ type: "conversation:list", conversations: first }),
    ...rest.map((conversation) => words({ type: "conversation:changed", conversation })),
  ];
}

/**
 * Returns the entries in one message; those that do not fit follow one by one as new entries. The
 * first message has the revision before them, so that counting ends at the current one.
 */
export function openedWords(opened: {
  readonly conversation: Conversation;
  readonly entries: readonly Entry[];
  readonly isCut: boolean;
}): string[] {
  const facts = JSON.stringify(opened.conversation).length;
  const [entries, rest] = fitting(opened.entries, MESSAGE_CHARS - facts);
  const { id, revision: last } = opened.conversation;
  const revision = last - rest.length;
  const conversation = { ...opened.conversation, revision };
  const { isCut } = opened;
  return [
    words({ type: "conversation:opened", conversation, entries, isCut }),
    ...rest.map((entry, index) =>
      words({ type: "conversation:entry", id, revision: revision + index + 1, entry }),
    ),
  ];
}

function fitting<T>(values: readonly T[], most = MESSAGE_CHARS): [T[], T[]] {
  let chars = 0;
  const count = values.findIndex((value) => {
    chars += JSON.stringify(value).length;
    return chars > most;
  });
  return count === -1 ? [[...values], []] : [values.slice(0, count), values.slice(count)];
}

function pieceWords(news: Extract<ServiceNews, { news: "entry" | "text" }>): string {
  const { id, revision } = news;
  return news.news === "entry"
    ? words({ type: "conversation:entry", id, revision, entry: news.entry })
    : words({ type: "conversation:text", id, revision, entry: news.entry, text: news.text });
}

function words(message: ConversationServerMessage): string {
  return JSON.stringify(message);
}
