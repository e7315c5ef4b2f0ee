// The format of recordings: round trips, and errors for bad files.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  encodeCastHeader,
  encodeCastEvent,
  parseCastSize,
  readCastStart,
  readCast,
  capPauses,
} from "./asciicast.ts";
import { anyCharacter } from "../test/support/any-character.ts";

const START = { cols: 80, rows: 24, startedAt: 1_700_000_000_123, title: "a \u001B[31m\n b" };

test("RE1 RE13 what is written is asciicast v3: a header, intervals, and no code for input", () => {
  const text =
    encodeCastHeader(START) +
    encodeCastEvent(1_234, "o", "hi\r\n") +
    encodeCastEvent(0, "r", "90x30") +
    "# a comment\n";
  expect(text.split("\n").slice(0, 3)).toEqual([
    '{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":1700000000,"title":"a \\u001b[31m\\n b"}',
    '[1.234, "o", "hi\\r\\n"]',
    '[0.000, "r", "90x30"]',
  ]);
  expect(readCast(text)).toMatchObject({
    ok: true,
    cast: {
      cols: 80,
      rows: 24,
      duration: 1.234,
      events: [{ at: 1.234 }, { at: 1.234, code: "r" }],
    },
  });
  expect(readCastStart(encodeCastHeader(START))).toEqual({
    title: START.title,
    startedAt: 1_700_000_000_000,
  });
});

test("RE12 whatever is recorded is read back, also where the last line is cut", () => {
  const events = fc.array(
    fc.tuple(fc.nat(100_000), fc.constantFrom("o", "m"), fc.string({ unit: anyCharacter })),
  );
  fc.assert(
    fc.property(events, fc.nat(), (all, cut) => {
      const lines = all.map(([ms, code, data]) =>
        encodeCastEvent(ms, code === "o" ? "o" : "m", data),
      );
      const read = readCast(encodeCastHeader(START) + lines.join(""));
      const expected = all.map(([, code, data]) => [code, data]);
      expect(read.ok && read.cast.events.map(({ code, data }) => [code, data])).toEqual(expected);
      const last = lines.at(-1) ?? "";
      const text =
        encodeCastHeader(START) +
        lines.slice(0, -1).join("") +
        last.slice(0, cut % (last.length || 1));
      expect(readCast(text).ok).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("RE12 version 2 is read, too; anything else is said", () => {
  const old = '{"version":2,"width":10,"height":5}\n[1.5,"o","a"]\n[2.5,"i","x"]\n[4,"o","b"]\n';
  expect(readCast(old)).toMatchObject({
    ok: true,
    cast: { cols: 10, events: [{ at: 1.5 }, { at: 4 }], duration: 4 },
  });
  for (const text of [
    "",
    "{}",
    "[]",
    '{"version":3}',
    '{"version":9,"term":{"cols":1,"rows":1}}',
  ]) {
    expect(readCast(text)).toMatchObject({ ok: false });
  }
  expect(readCast(`${encodeCastHeader(START)}nonsense\n[1,"o",""]\n`)).toMatchObject({
    ok: false,
    error: "line 2 is not an event",
  });
  expect([parseCastSize("90x30"), parseCastSize("0x3"), parseCastSize("9x9x9")]).toEqual([
    { cols: 90, rows: 30 },
    undefined,
    undefined,
  ]);
});

test("RE1 times that no one could have waited for are cut to ones that can be said", () => {
  const head = '{"version":3,"term":{"cols":80,"rows":24},"timestamp":1e308}\n';
  const read = readCast(`${head}[1e308,"o","a"]\n[1e308,"m","b"]\n`);
  if (!read.ok) throw new Error(read.error);
  expect(read.cast).toMatchObject({ duration: 100_000_000, timestamp: undefined });
  expect(read.cast.events.map(({ at }) => at)).toEqual([100_000_000, 100_000_000]);
  expect(readCastStart(head.trim())?.startedAt).toBe(0);
});

test("RE8 a limit of pauses moves everything behind a pause closer", () => {
  const read = readCast(
    encodeCastHeader(START) + encodeCastEvent(500, "o", "a") + encodeCastEvent(9_000, "o", "b"),
  );
  const cast = read.ok ? capPauses(read.cast, 1) : undefined;
  expect(cast?.events.map(({ at }) => at)).toEqual([0.5, 1.5]);
  expect(cast?.duration).toBe(1.5);
});
