// Conversations on people's sockets, without agents: entries that do not fit one message follow.

import { expect, test } from "vitest";
import type {
  Conversation,
  ConversationServerMessage,
  Entry,
} from "../../../protocol/conversation.ts";
import { MAX_FRAME_PAYLOAD } from "../../../protocol/limits.ts";
import { encodeList, encodeOpened } from "./dialect.ts";

function conversation(id: string, revision: number): Conversation {
  return {
    id,
    agent: { grant: "aaaaaaaaaa", label: "bot" },
    via: "stdio",
    title: "€".repeat(60),
    cwd: "/work",
    state: "idle",
    isolation: "none",
    commands: Array.from({ length: 64 }, (_, index) => ({
      name: `command-${index}`,
      description: "€".repeat(120),
    })),
    startedAt: 0,
    revision,
  };
}

const read = (words: readonly string[]): ConversationServerMessage[] =>
  words.map((text) => JSON.parse(text));

test("AC24 a long conversation comes in several messages, each within a frame, with revisions that count up", () => {
  const entries = Array.from({ length: 40 }, (_, index): Entry => ({
    id: `e-${index}`,
    at: 0,
    kind: "note",
    text: "€".repeat(2_000),
  }));
  const words = encodeOpened({ conversation: conversation("c-1", 90), entries, isCut: true });
  for (const text of words) expect(Buffer.byteLength(text)).toBeLessThan(MAX_FRAME_PAYLOAD);
  const [first, ...rest] = read(words);
  if (first?.type !== "conversation:opened") throw new Error("it begins with another message");
  expect(first.isCut).toBe(true);
  const received = [...first.entries];
  let { revision } = first.conversation;
  for (const message of rest) {
    if (message.type !== "conversation:entry") throw new Error("only entries follow");
    revision += 1;
    expect(message.revision).toBe(revision);
    received.push(message.entry);
  }
  expect([revision, received]).toEqual([90, entries]);
});

test("AC24 a long list goes on as changes, each within a frame", () => {
  const all = Array.from({ length: 50 }, (_, index) => conversation(`c-${index}`, 1));
  const words = encodeList(all);
  for (const text of words) expect(Buffer.byteLength(text)).toBeLessThan(MAX_FRAME_PAYLOAD);
  const received = read(words).flatMap((message) => {
    if (message.type === "conversation:list") return message.conversations;
    return message.type === "conversation:changed" ? [message.conversation] : [];
  });
  expect(received).toEqual(all);
});
