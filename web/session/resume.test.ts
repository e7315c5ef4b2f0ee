import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PtyAttached } from "../../protocol/pty.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { Position, Step } from "./resume.ts";
import { UNATTACHED, onAttached, onBridge, onCut, onOutput } from "./resume.ts";
import { runs } from "../../test/support/property-runs.ts";

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

const output = (offset: number, text: string) => ({
  offset,
  span: text.length,
  body: toBytes(text),
});

const live = (next: number, epoch = 7): Position => ({ state: "live", have: { epoch, next } });

describe("W3 what comes is shown once", () => {
  test("W73 a snapshot is a clean screen at its offset, whatever was there", () => {
    const step = onAttached(live(90), attached({ offset: 40, next: 40, snapshot: "screen" }));
    expect(step).toEqual({
      position: live(40),
      render: { fresh: true, bytes: toBytes("screen") },
    });
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

  test("W12 a bridge that comes back is told what is on the screen, and what is on its way is shown", () => {
    expect(onBridge(UNATTACHED)).toEqual({ position: UNATTACHED, attach: true });
    const attaching = (next: number): Position => ({
      state: "attaching",
      have: { epoch: 7, next },
    });
    const asked = onBridge(live(45));
    expect(asked).toEqual({ position: attaching(45), attach: true });
    const shown = onOutput(asked.position, output(45, "abc"));
    expect(shown).toEqual({
      position: attaching(48),
      render: { fresh: false, bytes: toBytes("abc") },
    });
    // Output beyond the gap waits for the answer.
    expect(onOutput(shown.position, output(50, "f"))).toEqual({ position: attaching(48) });
    expect(onAttached(shown.position, attached({ offset: 48, next: 48 }))).toEqual({
      position: live(48),
    });
  });

  test("W7 the next output is written, a repeated one dropped, a half-known one cut", () => {
    expect(onOutput(live(5), output(5, "abc"))).toEqual({
      position: live(8),
      render: { fresh: false, bytes: toBytes("abc") },
    });
    expect(onOutput(live(8), output(5, "abc"))).toEqual({ position: live(8) });
    expect(onOutput(live(7), output(5, "abc"))).toEqual({
      position: live(8),
      render: { fresh: false, bytes: toBytes("c") },
    });
  });

  test("W72 a hole asks again, once", () => {
    const step = onOutput(live(5), output(9, "abc"));
    expect(step).toEqual({
      position: { state: "attaching", have: { epoch: 7, next: 5 } },
      attach: true,
    });
    expect(onOutput(step.position, output(12, "d")).attach).toBeUndefined();
  });

  test("W3 an answer that cannot be joined to the screen asks for everything", () => {
    expect(onAttached(live(5), attached({ epoch: 8, offset: 5, next: 5 }))).toEqual({
      position: UNATTACHED,
      attach: true,
    });
    expect(onAttached(UNATTACHED, attached({ offset: 30, next: 30 }))).toEqual({
      position: live(30),
      render: { fresh: true, bytes: toBytes("") },
    });
  });
});

/** A correct server over a connection that loses, repeats and cuts. */
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
  chunks: { offset: number; text: string }[] = [];
  position: Position = UNATTACHED;
  screen = "";
  #lose = false;

  constructor() {
    this.apply(onBridge(UNATTACHED));
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
        this.#snapshot();
    }
  }

  apply(step: Step): void {
    this.position = step.position;
    if (step.render?.fresh) this.screen = toText(step.render.bytes);
    else if (step.render) this.screen += toText(step.render.bytes);
    if (step.attach) this.#answer();
  }

  #deliver({ offset, text }: { offset: number; text: string }): void {
    this.apply(onOutput(this.position, output(offset, text)));
  }

  #answer(): void {
    const from = this.position.have?.next;
    if (from === undefined) return this.#snapshot();
    this.apply(onAttached(this.position, attached({ offset: from, next: from })));
    for (const chunk of this.chunks) if (chunk.offset >= from) this.#deliver(chunk);
  }

  /** Sends a snapshot from the middle of a chunk; live output begins before it. */
  #snapshot(): void {
    const offset = Math.max(0, this.log.length - 3);
    const snapshot = this.log.slice(0, offset);
    this.apply(onAttached(this.position, attached({ offset, next: offset, snapshot })));
    for (const chunk of this.chunks.slice(-5)) this.#deliver(chunk);
  }
}

test("W3 cuts, losses, repeats and skips never lose or double a byte", () => {
  fc.assert(
    fc.property(events, (list) => {
      const wire = new Wire();
      for (const event of list) wire.run(event);
      // One more line: a loss at the very end shows only with the next output.
      wire.run({ do: "print", text: "." });
      wire.run({ do: "print", text: "." });
      expect(wire.screen).toBe(wire.log);
    }),
    runs(2000),
  );
});
