import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import type { ConversationClientMessage } from "../../protocol/conversation.ts";
import { conversation } from "../../test/support/conversations.ts";
import type { TabStorage } from "./conversations.ts";
import { formatAgentName, Conversations } from "./conversations.ts";
import { ConversationClient } from "./conversation-client.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function keeping(): TabStorage & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

function page(storage = keeping(), awaits = false) {
  const conversations = new Conversations("work", storage, awaits);
  const requests: ConversationClientMessage[] = [];
  const toasts: string[] = [];
  const marked: string[] = [];
  const opened = new Set<string>();
  const entered: string[] = [];
  const dialogues = new ConversationClient({
    conversations,
    views: {
      markUnread: (view) => void ("conversationId" in view && marked.push(view.conversationId)),
      enter: (view) => void ("conversationId" in view && entered.push(view.conversationId)),
      isOpened: (view) => "conversationId" in view && opened.has(view.conversationId),
    },
    isListed: () => true,
    send: (message) => requests.push(message) > 0,
    toast: (text) => void toasts.push(text),
  });
  const hear = dialogues.handlers;
  const open = (id: string): (() => void) => {
    opened.add(id);
    return dialogues.open(id);
  };
  const list = (...all: Conversation[]): void =>
    hear["conversation:list"]({ type: "conversation:list", conversations: all });
  const answer = (one: Conversation, ...entries: Entry[]): void =>
    hear["conversation:opened"]({
      type: "conversation:opened",
      conversation: one,
      entries,
      isCut: false,
    });
  const entry = (revision: number, part: Entry): void =>
    hear["conversation:entry"]({ type: "conversation:entry", id: "c1", revision, entry: part });
  const ids = () => conversations.shown?.map(({ id }) => id);
  return {
    entered,
    conversations,
    dialogues,
    requests,
    toasts,
    marked,
    hear,
    open,
    list,
    answer,
    entry,
    ids,
  };
}

const prompt = (id: string, text: string): Entry => ({
  id,
  at: 1,
  kind: "prompt",
  by: "ana",
  text,
});

test("AC126 conversations stand in the order of their beginnings, of the ended ones the latest six", () => {
  const { list, ids, hear } = page();
  const ended = Array.from({ length: 9 }, (_, at) =>
    conversation({ id: `e${at}`, state: "ended", startedAt: at }),
  );
  list(conversation({ id: "live", startedAt: 2 }), ...ended);
  expect(ids()).toEqual(["live", "e3", "e4", "e5", "e6", "e7", "e8"]);
  hear["conversation:changed"]({
    type: "conversation:changed",
    conversation: conversation({ id: "new", startedAt: 20 }),
  });
  expect(ids()?.at(-1)).toBe("new");
});

test("AC127 after a reload the tabs wait for the one in use, but not for a bridge that has none", () => {
  const { conversations, list, ids } = page(keeping(), true);
  expect(ids()).toBeUndefined();
  list(conversation());
  expect(ids()).toEqual(["c1"]);
  const old = page(keeping(), true);
  old.conversations.stopWaiting();
  expect(old.ids()).toBeUndefined();
  vi.runAllTimers();
  expect(old.ids()).toEqual([]);
  expect([conversations.find("c1")?.id, page().ids()]).toEqual(["c1", []]);
});

test("AC81 AC127 a dismissed tab stays away over a reload, and a draft comes back", () => {
  const storage = keeping();
  const { conversations, list, ids } = page(storage);
  const over = conversation({ state: "ended" });
  list(over, conversation({ id: "c2" }));
  conversations.write("c2", "half a sent");
  conversations.dismiss("c1");
  expect(ids()).toEqual(["c2"]);
  const again = page(storage);
  again.list(over, conversation({ id: "c2" }));
  expect([again.ids(), again.conversations.draft("c2").text]).toEqual([["c2"], "half a sent"]);
});

test("AC70 news mark a tab: an entry, another state, and a conversation that is new", () => {
  const { list, marked, hear, open, answer, entry } = page();
  list(conversation());
  const change = (part: Partial<Conversation>): void =>
    hear["conversation:changed"]({
      type: "conversation:changed",
      conversation: conversation(part),
    });
  change({});
  expect(marked.splice(0)).toEqual([]);
  change({ state: "working" });
  change({ id: "c2" });
  expect(marked.splice(0)).toEqual(["c1", "c2"]);
  open("c1");
  answer(conversation());
  entry(1, prompt("p", "hello"));
  expect(marked).toEqual(["c1"]);
});

test("AC125 whoever asks for another conversation is taken to it, and no one else", () => {
  const { conversations, list, hear, entered } = page();
  list(conversation());
  const begins = (id: string, grant: string): void =>
    hear["conversation:changed"]({
      type: "conversation:changed",
      conversation: conversation({ id, agent: { grant, label: "claude" } }),
    });
  begins("c2", "g1");
  conversations.onRequested("g1");
  begins("c2", "g1");
  begins("c3", "g2");
  expect(entered).toEqual([]);
  begins("c4", "g1");
  begins("c5", "g1");
  expect(entered).toEqual(["c4"]);
});

test("AC73 AC131 a conversation is opened when it is shown, when something is missing, and by each bridge", () => {
  const { requests, list, open, answer, entry, dialogues, conversations } = page();
  list(conversation());
  const close = open("c1");
  answer(conversation());
  expect(requests.splice(0)).toEqual([{ type: "conversation:open", id: "c1" }]);
  entry(2, prompt("p", "hello"));
  expect(requests.splice(0)).toEqual([{ type: "conversation:open", id: "c1" }]);
  expect(conversations.getTranscript("c1").ids.value).toEqual([]);
  answer(conversation({ revision: 2 }), prompt("p", "hello"));
  dialogues.onAway();
  list(conversation({ revision: 9 }));
  expect(requests.splice(0)).toEqual([{ type: "conversation:open", id: "c1" }]);
  close();
  list(conversation());
  expect(requests).toEqual([{ type: "conversation:close", id: "c1" }]);
  // Not open in any view.
  answer(conversation({ revision: 3 }), prompt("q", "late"));
  expect(conversations.getTranscript("c1").ids.value).toEqual(["p"]);
});

test("AC133 a text stays until the conversation has it, and a refusal stands beside it", () => {
  const { conversations, list, open, answer, entry, hear, toasts } = page();
  list(conversation());
  open("c1");
  answer(conversation());
  conversations.write("c1", "do it\n");
  conversations.onSent("c1");
  // Another person's prompt.
  entry(1, prompt("p", "something else"));
  expect(conversations.draft("c1")).toEqual({ text: "do it\n", sent: true });
  const error = "The agent is working: wait for the end of its turn, or cancel it.";
  hear["conversation:error"]({ type: "conversation:error", id: "c1", code: "bad_request", error });
  expect(conversations.draft("c1")).toEqual({ text: "do it\n", sent: false, refusal: error });
  conversations.write("c1", "do it");
  expect(conversations.draft("c1").refusal).toBeUndefined();
  conversations.onSent("c1");
  entry(2, prompt("q", "do it"));
  expect([conversations.draft("c1"), toasts]).toEqual([{ text: "", sent: false }, []]);
  // Another person sends the text that is still a draft here.
  conversations.write("c1", "the same");
  entry(3, prompt("r", "the same"));
  expect(conversations.draft("c1").text).toBe("the same");
  // The error is not about this draft.
  hear["conversation:error"]({ type: "conversation:error", id: "c1", code: "bad_request", error });
  expect(toasts).toEqual([error]);
});

test("AC133 a cut while a text is on its way leaves the text", () => {
  const { conversations, list, dialogues } = page();
  list(conversation({ state: "working" }));
  conversations.write("c1", "do it");
  conversations.onSent("c1");
  conversations.onCancelling("c1");
  dialogues.onAway();
  expect(conversations.draft("c1")).toEqual({ text: "do it", sent: false });
  expect(conversations.cancelling.value.size).toBe(0);
});

test("AC76 cancelling is over when the turn is, or when it was refused", () => {
  const { conversations, list, hear } = page();
  list(conversation({ state: "working" }));
  const isCancelling = () => conversations.cancelling.value.has("c1");
  conversations.onCancelling("c1");
  const change = (state: "working" | "idle"): void =>
    hear["conversation:changed"]({
      type: "conversation:changed",
      conversation: conversation({ state }),
    });
  change("working");
  expect(isCancelling()).toBe(true);
  change("idle");
  expect(isCancelling()).toBe(false);
  conversations.onCancelling("c1");
  const error = "No turn is running.";
  hear["conversation:error"]({ type: "conversation:error", id: "c1", code: "bad_request", error });
  expect(isCancelling()).toBe(false);
});

test("AC143 one that the bridge forgot stays where it was opened, and goes where it was not", () => {
  const { conversations, list, open, ids, hear } = page();
  const both = [conversation(), conversation({ id: "c2", startedAt: 2 })];
  list(...both);
  open("c1");
  for (const { id } of both) hear["conversation:gone"]({ type: "conversation:gone", id });
  const over = { state: "ended", why: "The host no longer has it." };
  expect([ids(), conversations.find("c1")]).toEqual([["c1"], expect.objectContaining(over)]);
  const other = page();
  other.list(...both);
  other.open("c1");
  other.list(conversation({ id: "c3", startedAt: 3 }));
  expect(other.ids()).toEqual(["c1", "c3"]);
  expect(other.conversations.find("c1")).toMatchObject(over);
});

test("AC78 an agent is called by its token's label, and without one by its program beside that", () => {
  const called = (label: string, name?: string) =>
    formatAgentName({ agent: { grant: "g94v8M57Ib", label, ...(name && { name }) } });
  expect(called("reviewer", "claude-code")).toBe("reviewer");
  expect(called("agent link", "claude-code")).toBe("claude-code (agent link)");
  expect([called("agent link"), called("", "pi"), called("")]).toEqual([
    "agent link",
    "pi",
    "agent",
  ]);
});
