// Transcripts without agents: bounded, in order, and equal to what was sent.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../protocol/conversation.ts";
import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import type { Change, Transcript, TranscriptEvent } from "./transcript.ts";
import {
  countChars,
  EMPTY_TRANSCRIPT,
  MAX_TRANSCRIPT_CHARS,
  MAX_ENTRIES,
  reduceTranscript,
} from "./transcript.ts";
import { MAX_ENTRY_CHARS } from "./tool-content.ts";
import { parseUpdate } from "./update-parser.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

function applyAll(events: readonly TranscriptEvent[]): {
  transcript: Transcript;
  changes: Change[];
} {
  let transcript = EMPTY_TRANSCRIPT;
  const changes: Change[] = [];
  for (const [at, event] of events.entries()) {
    const step = reduceTranscript(transcript, event, at);
    ({ transcript } = step);
    changes.push(...step.changes);
  }
  return { transcript, changes };
}

/** Rebuilds the entries from the changes, as a page does. */
function read(changes: readonly Change[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const change of changes) {
    if (change.change === "entry") entries.set(change.entry.id, change.entry);
    else {
      const known = entries.get(change.id);
      if (known?.kind !== "message" && known?.kind !== "thought") throw new Error("no such text");
      entries.set(change.id, { ...known, text: known.text + change.text });
    }
  }
  return entries;
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.nat(40_000).map((length) => "\u0001€".repeat(length / 2)),
);
const id = fc.constantFrom("a", "b", "__proto__");
const content = fc.array(
  fc.oneof(
    text.map((given) => ({ type: "text" as const, text: given })),
    id.map((terminal) => ({ type: "terminal" as const, terminal })),
    fc.record({ type: fc.constant("diff" as const), path: id, oldText: text, newText: text }),
  ),
  { maxLength: 6 },
);
const event: fc.Arbitrary<TranscriptEvent> = fc.oneof(
  fc.record({ event: fc.constant("prompt" as const), by: id, text }),
  fc.record({ event: fc.constant("said" as const), by: id, text }),
  fc.record({
    event: fc.constant("text" as const),
    of: fc.constantFrom("message" as const, "thought" as const),
    text,
    message: fc.option(id, { nil: undefined }),
  }),
  fc.record({
    event: fc.constant("tool" as const),
    patch: fc.record({ id, title: text, content: fc.option(content, { nil: undefined }) }),
  }),
  fc.record({ event: fc.constant("asked" as const), approval: id, title: text }),
  fc.record({
    event: fc.constant("answered" as const),
    approval: id,
    outcome: fc.constantFrom("allowed" as const, "denied" as const),
  }),
  fc.record({ event: fc.constant("note" as const), text }),
  fc.record({ event: fc.constant("turn" as const), reason: text }),
  fc.record({ event: fc.constant("terminal" as const), terminal: id, text, exit: id }),
  fc.record({ event: fc.constant("shown" as const), as: id, terminal: id }),
);

test("AC93 whatever an agent says, a reader who hears each change has what is kept, and each fits a frame", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const { transcript, changes } = applyAll(events);
      const received = read(changes);
      for (const entry of transcript.entries) {
        expect(received.get(entry.id)).toEqual(entry);
        expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(MAX_FRAME_PAYLOAD - 1_000);
      }
      const chars = transcript.entries.map((entry) => countChars(entry));
      expect(transcript.chars).toBe(chars.reduce((sum, one) => sum + one, 0));
      expect(new Set(transcript.entries.map((entry) => entry.id)).size).toBe(
        transcript.entries.length,
      );
    }),
    { numRuns: 150 },
  );
});

test("AC10 the oldest entries go when there are too many, or too much of them", () => {
  const notes = (count: number, length: number) =>
    applyAll(
      Array.from({ length: count }, (_, index) => ({
        event: "prompt" as const,
        by: "a",
        text: `${index}`.padEnd(length, "x"),
      })),
    ).transcript;
  const many = notes(MAX_ENTRIES + 5, 10);
  expect([many.entries.length, many.isCut]).toEqual([MAX_ENTRIES, true]);
  expect(many.entries[0]).toMatchObject({ text: "5xxxxxxxxx" });
  const much = notes(300, MAX_ENTRY_CHARS - 1);
  const chars = much.entries.map((entry) => countChars(entry)).reduce((sum, one) => sum + one, 0);
  expect(chars).toBeLessThanOrEqual(MAX_TRANSCRIPT_CHARS);
  expect(much.chars).toBe(chars);
  expect(much.isCut).toBe(true);
});

test("AC10 chunks make one message until something comes between; a call is told again by its id", () => {
  const say = (given: string) => ({ event: "text", of: "message", text: given }) as const;
  const { transcript } = applyAll([
    { event: "prompt", by: "Ana", text: "go" },
    say("a"),
    say("b"),
    { event: "tool", patch: { id: "t", title: "List", status: "pending" } },
    say("c"),
    { event: "tool", patch: { id: "t", status: "completed" } },
    { event: "plan", steps: [{ text: "x", priority: "low", status: "pending" }] },
    { event: "plan", steps: [{ text: "x", priority: "low", status: "completed" }] },
  ]);
  const apart = applyAll([
    { event: "text", of: "message", text: "a", message: "m1" },
    { event: "text", of: "message", text: "b", message: "m2" },
  ]);
  expect(apart.transcript.entries).toMatchObject([{ text: "a" }, { text: "b" }]);
  expect(transcript.entries.map(({ kind }) => kind)).toEqual([
    "prompt",
    "message",
    "tool",
    "message",
    "plan",
  ]);
  expect(transcript.entries[1]).toMatchObject({ text: "ab" });
  expect(transcript.entries[2]).toMatchObject({ title: "List", status: "completed" });
  expect(transcript.entries[4]).toMatchObject({ steps: [{ status: "completed" }] });
});

test("AC11 every kind of update is understood; what is unknown or malformed is nothing", () => {
  const chunk = { content: { type: "text", text: "hi" } };
  const kinds: Record<string, object> = {
    user_message_chunk: chunk,
    agent_message_chunk: chunk,
    agent_thought_chunk: chunk,
    tool_call: { toolCallId: "t", title: "x" },
    tool_call_update: { toolCallId: "t" },
    plan: { entries: [{ content: "x", priority: "high", status: "pending" }] },
    available_commands_update: { availableCommands: [{ name: "web", description: "" }] },
    current_mode_update: { currentModeId: "code" },
    session_info_update: { title: "Talk" },
    notice: { severity: "info", title: "Limit" },
    compaction_update: { compactionId: "c", status: "completed" },
    terminal_update: { terminalId: "t", output: { data: "aGk=" }, exitStatus: { exitCode: 1 } },
    terminal_output_chunk: { terminalId: "t", data: "aGk=" },
  };
  for (const [sessionUpdate, fields] of Object.entries(kinds)) {
    expect(parseUpdate({ sessionUpdate, ...fields }), sessionUpdate).toBeDefined();
  }
  for (const other of ["config_option_update", "usage_update", "toString", "__proto__", "new"]) {
    expect(parseUpdate({ sessionUpdate: other, ...chunk }), other).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(kinds)), fc.object(), (sessionUpdate, fields) => {
      parseUpdate({ ...fields, sessionUpdate });
    }),
  );
  fc.assert(fc.property(fc.anything(), (value) => void parseUpdate(value)));
});

test("AC11 a field of another form counts as absent, and a list keeps what fits", () => {
  const update = parseUpdate({
    sessionUpdate: "tool_call",
    toolCallId: "t",
    title: 7,
    status: "dancing",
    content: [{ type: "terminal", terminalId: "x" }, 3, { type: "diff", path: "/a" }],
    locations: [{ path: "/a", line: "no" }, { line: 2 }],
  });
  expect(update).toMatchObject({
    kind: "tool",
    patch: {
      id: "t",
      title: undefined,
      status: undefined,
      content: [{ type: "terminal", terminal: "x" }],
      locations: [{ path: "/a" }],
    },
  });
});
