import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PtyAttached, PtyOutput } from "../../protocol/pty.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { Content, Position, Step } from "./resume.ts";
import { NOTHING, onAttached, onBridge, onBytes, onCut, onOutput } from "./resume.ts";

const attached = (part: Partial<PtyAttached>): PtyAttached => ({
  type: "pty:attached",
  id: "pty-abcdef",
  epoch: 7,
  offset: 0,
  next: 0,
  cols: 80,
  rows: 24,
  ...part,
});

const output = (offset: number, data: string): PtyOutput => ({
  type: "pty:output",
  id: "pty-abcdef",
  data,
  offset,
  next: offset + data.length,
});

const bytes = (offset: number, text: string) => ({
  offset,
  span: text.length,
  body: toBytes(text),
});

const textOf = (content: Content): string =>
  typeof content === "string" ? content : toText(content);

const live = (next: number, epoch = 7): Position => ({ state: "live", have: { epoch, next } });

describe("W3 what comes is shown once", () => {
  test("W3 history starts a clean screen, whatever was there", () => {
    const step = onAttached(live(90), attached({ offset: 40, next: 45, history: "hello" }));
    expect(step).toEqual({ position: live(45), render: { fresh: true, content: "hello" } });
  });

  test("W3 an exact resume shows nothing and goes on", () => {
    const asked = onBridge(onCut(live(45)));
    expect(asked).toEqual({
      position: { state: "attaching", have: { epoch: 7, next: 45 } },
      attach: true,
    });
    expect(onAttached(asked.position, attached({ offset: 45, next: 45 }))).toEqual({
      position: live(45),
    });
  });

  test("W3 the bridge coming back asks only for what it has not answered", () => {
    expect(onBridge(live(45))).toEqual({ position: live(45) });
    expect(onBridge(NOTHING)).toEqual({ position: NOTHING, attach: true });
  });

  test("W3 the next output is written, a repeated one is dropped", () => {
    expect(onOutput(live(5), output(5, "abc"))).toEqual({
      position: live(8),
      render: { fresh: false, content: "abc" },
    });
    expect(onOutput(live(8), output(5, "abc"))).toEqual({ position: live(8) });
  });

  test("W3 a gap and a half-known output ask again, once", () => {
    for (const message of [output(9, "abc"), output(4, "abcdef")]) {
      const step = onOutput(live(5), message);
      expect(step).toEqual({
        position: { state: "attaching", have: { epoch: 7, next: 5 } },
        attach: true,
      });
      expect(onOutput(step.position, output(12, "d")).attach).toBeUndefined();
    }
  });

  test("W7 bytes are cut where the screen ends, and a hole asks again", () => {
    expect(onBytes(live(5), bytes(5, "abc")).render).toEqual({
      fresh: false,
      content: toBytes("abc"),
    });
    expect(onBytes(live(7), bytes(5, "abc"))).toEqual({
      position: live(8),
      render: { fresh: false, content: toBytes("c") },
    });
    expect(onBytes(live(8), bytes(5, "abc"))).toEqual({ position: live(8) });
    expect(onBytes(live(4), bytes(5, "abc"))).toEqual({
      position: { state: "attaching", have: { epoch: 7, next: 4 } },
      attach: true,
    });
  });

  test("W7 a snapshot is a clean screen at its offset", () => {
    const step = onAttached(live(90), attached({ offset: 40, next: 40, snapshot: "screen" }));
    expect(step).toEqual({ position: live(40), render: { fresh: true, content: "screen" } });
  });

  test("W3 an answer that cannot be joined to the screen asks for everything", () => {
    expect(onAttached(live(5), attached({ epoch: 8, offset: 5, next: 5 }))).toEqual({
      position: NOTHING,
      attach: true,
    });
    expect(onAttached(NOTHING, attached({ offset: 30, next: 30 }))).toEqual({
      position: live(30),
      render: { fresh: true, content: "" },
    });
  });
});

/** A server that tells the truth over a wire that loses, repeats and cuts. */
type Event =
  | { do: "print"; text: string }
  | { do: "cut" }
  | { do: "lose" }
  | { do: "repeat" }
  | { do: "skip" };

const events = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("print" as const),
        text: fc.string({ minLength: 1, maxLength: 6 }),
      }),
    },
    fc.record({
      do: fc.constantFrom("cut" as const, "lose" as const, "repeat" as const, "skip" as const),
    }),
  ),
  { maxLength: 60 },
);

class Wire {
  readonly #raw: boolean;
  log = "";
  chunks: { offset: number; text: string }[] = [];
  position: Position = NOTHING;
  /** Where on the log the screen starts, and what it shows. */
  start = 0;
  screen = "";
  #lose = false;

  constructor(raw: boolean) {
    this.#raw = raw;
    this.apply(onBridge(NOTHING));
  }

  run(event: Event): void {
    switch (event.do) {
      case "print": {
        const chunk = { offset: this.log.length, text: event.text };
        this.log += event.text;
        this.chunks.push(chunk);
        if (!this.#lose) this.#deliver(chunk);
        this.#lose = false;
        return;
      }
      case "lose":
        this.#lose = true;
        return;
      case "repeat": {
        const last = this.chunks.at(-1);
        if (last) this.#deliver(last);
        return;
      }
      case "cut":
        this.apply(onBridge(onCut(this.position)));
        return;
      case "skip":
        this.#begin();
    }
  }

  apply(step: Step): void {
    this.position = step.position;
    if (step.render?.fresh) this.screen = textOf(step.render.content);
    else if (step.render) this.screen += textOf(step.render.content);
    if (step.attach) this.#answer();
  }

  #deliver({ offset, text }: { offset: number; text: string }): void {
    this.apply(
      this.#raw
        ? onBytes(this.position, bytes(offset, text))
        : onOutput(this.position, output(offset, text)),
    );
  }

  #answer(): void {
    const from = this.position.have?.next;
    if (from === undefined) return this.#begin();
    this.apply(onAttached(this.position, attached({ offset: from, next: from })));
    for (const chunk of this.chunks) if (chunk.offset >= from) this.#deliver(chunk);
  }

  #begin(): void {
    if (this.#raw) return this.#snapshot();
    this.start = Math.max(0, this.log.length - 20);
    const history = this.log.slice(this.start);
    const next = this.log.length;
    return this.apply(onAttached(this.position, attached({ offset: this.start, next, history })));
  }

  /** Of a moment in the middle of a chunk; live output begins before it. */
  #snapshot(): void {
    const offset = Math.max(0, this.log.length - 3);
    const snapshot = this.log.slice(0, offset);
    this.start = 0;
    this.apply(onAttached(this.position, attached({ offset, next: offset, snapshot })));
    for (const chunk of this.chunks.slice(-5)) this.#deliver(chunk);
  }
}

for (const [rendition, raw] of [
  ["text", false],
  ["bytes", true],
] as const) {
  test(`W3 cuts, losses, repeats and skips never lose or double any ${rendition}`, () => {
    fc.assert(
      fc.property(events, (list) => {
        const wire = new Wire(raw);
        for (const event of list) wire.run(event);
        // One more line: a loss at the very end shows with the next output.
        wire.run({ do: "print", text: "." });
        wire.run({ do: "print", text: "." });
        expect(wire.screen).toBe(wire.log.slice(wire.start));
      }),
      { numRuns: 2000 },
    );
  });
}
