import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../protocol/conversation.ts";
import { conversation } from "../../test/support/conversations.ts";
import { Transcript } from "./transcript.ts";

const message = (id: string, text: string): Entry => ({ id, at: 1, kind: "message", text });
const shown = (transcript: Transcript): (Entry | undefined)[] =>
  transcript.ids.value.map((id) => transcript.entry(id)?.value);
const opened = (entries: Entry[], revision: number, isCut = false) => ({
  type: "conversation:opened" as const,
  conversation: conversation({ revision }),
  entries,
  isCut,
});
/** Opens it with the whole conversation in one message. */
const open = (transcript: Transcript, ...opening: Parameters<typeof opened>): void =>
  transcript.onOpened(opened(...opening), opening[1]);
const entryAt = (revision: number, entry: Entry) => ({
  type: "conversation:entry" as const,
  id: "c1",
  revision,
  entry,
});
const textAt = (revision: number, entry: string, text: string) => ({
  type: "conversation:text" as const,
  id: "c1",
  revision,
  entry,
  text,
});

test("AC73 changes follow on what was opened, and a word more changes one entry", () => {
  const transcript = new Transcript();
  open(transcript, [message("a", "one")], 4);
  expect(transcript.onEntry(entryAt(5, message("b", "tw")))).toBe("applied");
  const ids = transcript.ids.value;
  expect(transcript.onText(textAt(6, "b", "o"))).toBe("applied");
  expect(shown(transcript)).toEqual([message("a", "one"), message("b", "two")]);
  // The list object is the same, so nothing is redrawn.
  expect(transcript.ids.value).toBe(ids);
  expect(transcript.onEntry(entryAt(7, message("a", "another")))).toBe("applied");
  expect([shown(transcript)[0], transcript.ids.value]).toEqual([message("a", "another"), ids]);
});

test("AC73 what is here already is not applied twice, and what skips is not applied at all", () => {
  const transcript = new Transcript();
  open(transcript, [message("a", "one")], 4);
  expect(transcript.onText(textAt(4, "a", "!"))).toBe("old");
  expect(transcript.onText(textAt(6, "a", "!"))).toBe("skipped");
  expect([shown(transcript), transcript.isWhole.value]).toEqual([[message("a", "one")], false]);
  // Until it is opened again nothing is applied, and one "skipped" is enough.
  expect(transcript.onText(textAt(7, "a", "!"))).toBe("old");
  open(transcript, [message("a", "one!!")], 7);
  expect([shown(transcript), transcript.isWhole.value]).toEqual([[message("a", "one!!")], true]);
});

test("AC73 more text of what is not here means that something is missing", () => {
  const transcript = new Transcript();
  open(transcript, [{ id: "n", at: 1, kind: "note", text: "a note" }], 1);
  expect(transcript.onText(textAt(2, "n", "!"))).toBe("skipped");
  open(transcript, [], 2);
  expect(transcript.onText(textAt(3, "x", "!"))).toBe("skipped");
});

test("AC73 what was dropped meanwhile is gone after opening again", () => {
  const transcript = new Transcript();
  open(transcript, [message("a", "1"), message("b", "2")], 2);
  const kept = transcript.entry("b");
  transcript.onAway();
  expect([shown(transcript).length, transcript.isWhole.value]).toEqual([2, false]);
  open(transcript, [message("b", "2"), message("c", "3")], 9, true);
  expect([transcript.ids.value, transcript.isCut.value]).toEqual([["b", "c"], true]);
  expect([transcript.entry("a"), transcript.entry("b") === kept]).toEqual([undefined, true]);
});

test("AC73 a long one that comes in pieces stays whole meanwhile, and ends as the bridge has it", () => {
  const transcript = new Transcript();
  const all = ["a", "b", "c", "d"].map((id) => message(id, `${id} `));
  open(transcript, all, 4);
  const kept = transcript.entry("c");
  transcript.onAway();
  // The answer shows that a was dropped, and that c and d follow.
  transcript.onOpened(opened([message("b", "b ")], 4), 6);
  expect(transcript.ids.value).toEqual(["b", "c", "d"]);
  transcript.onEntry(entryAt(5, message("c", "c!")));
  transcript.onEntry(entryAt(6, message("d", "d!")));
  expect(shown(transcript).map((entry) => entry?.kind === "message" && entry.text)).toEqual([
    "b ",
    "c!",
    "d!",
  ]);
  expect(transcript.entry("c")).toBe(kept);
  // Entries that the bridge no longer has are removed.
  transcript.onOpened(opened([message("b", "b ")], 6), 7);
  expect(transcript.ids.value).toEqual(["b", "c"]);
  open(transcript, [], 9);
  expect(transcript.ids.value).toEqual([]);
});

test("AC73 however messages are lost and pages cut, a page that asks again has what the bridge has", () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant("entry" as const), id: fc.constantFrom("a", "b", "c") }),
    fc.record({ is: fc.constant("text" as const), id: fc.constantFrom("a", "b", "c") }),
    fc.record({ is: fc.constantFrom("lose" as const, "cut" as const), id: fc.constant("a") }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const transcript = new Transcript();
      const truth = new Map<string, Entry>();
      let [revision, isLost] = [0, false];
      const again = (): void => open(transcript, [...truth.values()], revision);
      again();
      for (const { is, id } of steps) {
        if (is === "lose") isLost = true;
        if (is === "cut") transcript.onAway();
        if (is === "cut") again();
        const before = truth.get(id);
        if (is === "text" && before?.kind !== "message") continue;
        if (is !== "entry" && is !== "text") continue;
        revision += 1;
        const text = before?.kind === "message" ? `${before.text}${revision} ` : "";
        truth.set(id, message(id, is === "entry" ? `new ${revision} ` : text));
        if (isLost) {
          isLost = false;
          continue;
        }
        const following =
          is === "entry"
            ? transcript.onEntry(entryAt(revision, message(id, `new ${revision} `)))
            : transcript.onText(textAt(revision, id, `${revision} `));
        if (following === "skipped") again();
      }
      // A last change reveals whether anything was missed.
      revision += 1;
      truth.set("end", message("end", ""));
      if (transcript.onEntry(entryAt(revision, message("end", ""))) === "skipped") again();
      expect(shown(transcript)).toEqual([...truth.values()]);
    }),
  );
});
