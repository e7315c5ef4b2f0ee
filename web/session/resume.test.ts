import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PtyAttached, PtyOutput } from "../../protocol/pty.ts";
import type { Position, Step } from "./resume.ts";
import { NOTHING, onAttached, onBridge, onCut, onOutput } from "./resume.ts";

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

const live = (next: number, epoch = 7): Position => ({ state: "live", have: { epoch, next } });

describe("W3 what comes is shown once", () => {
  test("W3 history starts a clean screen, whatever was there", () => {
    const step = onAttached(live(90), attached({ offset: 40, next: 45, history: "hello" }));
    expect(step).toEqual({ position: live(45), render: { fresh: true, text: "hello" } });
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
      render: { fresh: false, text: "abc" },
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

  test("W3 an answer that cannot be joined to the screen asks for everything", () => {
    expect(onAttached(live(5), attached({ epoch: 8, offset: 5, next: 5 }))).toEqual({
      position: NOTHING,
      attach: true,
    });
    expect(onAttached(NOTHING, attached({ offset: 30, next: 30 }))).toEqual({
      position: live(30),
      render: { fresh: true, text: "" },
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
  log = "";
  chunks: PtyOutput[] = [];
  position: Position = NOTHING;
  /** Where on the log the screen starts, and what it shows. */
  start = 0;
  screen = "";
  #lose = false;

  constructor() {
    this.apply(onBridge(NOTHING));
  }

  run(event: Event): void {
    switch (event.do) {
      case "print": {
        const message = output(this.log.length, event.text);
        this.log += event.text;
        this.chunks.push(message);
        if (!this.#lose) this.apply(onOutput(this.position, message));
        this.#lose = false;
        return;
      }
      case "lose":
        this.#lose = true;
        return;
      case "repeat": {
        const last = this.chunks.at(-1);
        if (last) this.apply(onOutput(this.position, last));
        return;
      }
      case "cut":
        this.apply(onBridge(onCut(this.position)));
        return;
      case "skip":
        this.#history();
    }
  }

  apply(step: Step): void {
    this.position = step.position;
    if (step.render?.fresh) this.screen = step.render.text;
    else if (step.render) this.screen += step.render.text;
    if (step.attach) this.#answer();
  }

  #answer(): void {
    const from = this.position.have?.next;
    if (from === undefined) return this.#history();
    this.apply(onAttached(this.position, attached({ offset: from, next: from })));
    for (const chunk of this.chunks.filter(({ offset }) => offset >= from))
      this.apply(onOutput(this.position, chunk));
  }

  #history(): void {
    this.start = Math.max(0, this.log.length - 20);
    const history = this.log.slice(this.start);
    const next = this.log.length;
    this.apply(onAttached(this.position, attached({ offset: this.start, next, history })));
  }
}

test("W3 cuts, losses, repeats and skips never lose or double a byte", () => {
  fc.assert(
    fc.property(events, (list) => {
      const wire = new Wire();
      for (const event of list) wire.run(event);
      // One more line: a loss at the very end shows with the next output.
      wire.run({ do: "print", text: "." });
      wire.run({ do: "print", text: "." });
      expect(wire.screen).toBe(wire.log.slice(wire.start));
    }),
    { numRuns: 2000 },
  );
});
