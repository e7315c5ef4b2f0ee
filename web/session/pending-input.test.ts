import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PendingEffect, PendingEvent, PendingInput } from "./pending-input.ts";
import { advancePendingInput, IDLE_INPUT, MAX_PENDING_CHARS } from "./pending-input.ts";

const keys = (data: string): PendingEvent => ({ type: "typed", piece: { kind: "keys", data } });
const BEGIN: PendingEvent = { type: "begin" };

function run(events: readonly PendingEvent[]): { state: PendingInput; effects: PendingEffect[] } {
  let state: PendingInput = IDLE_INPUT;
  const effects: PendingEffect[] = [];
  for (const event of events) {
    const step = advancePendingInput(state, event);
    state = step.next;
    effects.push(...step.effects);
  }
  return { state, effects };
}

test("WT13 input waits for the terminal that is opened, in order, and is delivered once", () => {
  const { state, effects } = run([
    BEGIN,
    keys("l"),
    { type: "draft", text: "s" },
    { type: "draft", text: "s " },
    { type: "attached", id: "another" },
    { type: "opened", id: "new", isAttached: false },
    { type: "typed", piece: { kind: "paste", text: "-l" } },
    { type: "attached", id: "new" },
    { type: "attached", id: "new" },
    keys("later"),
  ]);
  expect(state).toEqual(IDLE_INPUT);
  const pieces = [
    { kind: "keys", data: "l" },
    { kind: "keys", data: "s " },
    { kind: "paste", text: "-l" },
  ];
  expect(effects).toEqual([{ type: "deliver", id: "new", pieces }]);
});

test("WT69 WT68 Esc drops it; too much is refused from there on, once and without a hole", () => {
  expect(run([BEGIN, keys("rm x"), keys("\u001B"), keys("y")]).effects).toEqual([
    { type: "drop", why: "moved", hadInput: true },
  ]);
  const { effects } = run([
    BEGIN,
    keys("a".repeat(MAX_PENDING_CHARS - 1)),
    { type: "typed", piece: { kind: "paste", text: "too long" } },
    keys("b"),
    { type: "draft", text: "c" },
    { type: "opened", id: "new", isAttached: true },
  ]);
  expect(effects.map(({ type }) => type)).toEqual(["full", "deliver"]);
  expect(effects[1]).toMatchObject({ pieces: [{ data: "a".repeat(MAX_PENDING_CHARS - 1) }] });
});

test("WT13 WT14 whatever the order: each key is delivered once, in order, or its person is told that it was not", () => {
  const anyEvent: fc.Arbitrary<PendingEvent | { readonly type: "key" }> = fc.oneof(
    { weight: 8, arbitrary: fc.constant({ type: "key" } as const) },
    fc.constant(BEGIN),
    fc.constantFrom("new", "other").map((id) => ({ type: "attached", id }) as const),
    fc.boolean().map((isAttached) => ({ type: "opened", id: "new", isAttached }) as const),
    fc
      .constantFrom("failed", "moved", "late", "cut")
      .map((why) => ({ type: "dropped", why }) as const),
    fc.constant(keys("x".repeat(MAX_PENDING_CHARS))),
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let state: PendingInput = IDLE_INPUT;
      let number = 0;
      /** Keys of this hold that were neither delivered nor dropped yet. */
      let open: string[] = [];
      let isFull = false;
      for (const one of events) {
        const data = `<${(number += 1)}>`;
        const event = one.type === "key" ? keys(data) : one;
        const { next, effects } = advancePendingInput(state, event);
        if (state.state === "holding" && event.type === "typed" && event.piece.kind === "keys")
          open.push(event.piece.data);
        for (const effect of effects) {
          if (effect.type === "full") isFull = true;
          if (effect.type === "drop") expect(effect.hadInput).toBe(open.length > 0);
          if (effect.type !== "deliver") continue;
          const delivered = effect.pieces.map((piece) => (piece.kind === "keys" ? piece.data : ""));
          // Only the last keys may be missing, after a "full" effect.
          expect(delivered).toEqual(open.slice(0, delivered.length));
          expect(delivered.length === open.length || isFull).toBe(true);
        }
        if (next.state === "idle") {
          if (state.state === "holding") expect(effects.at(-1)?.type).toMatch(/deliver|drop/);
          open = [];
          isFull = false;
        }
        state = next;
      }
    }),
  );
});
