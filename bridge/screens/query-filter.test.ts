import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANSWERED, UNANSWERED } from "../../test/support/terminal-questions.ts";
import { vtStream } from "../../test/support/vt-streams.ts";
import { Emulator } from "./emulator.ts";
import { isReply, stripQueries, createStripState } from "./query-filter.ts";

test("F7 the screen answers what the table says, and nothing else", () => {
  const emulator = new Emulator(80, 24);
  const isSilent = (question: string) => emulator.query(question) === "";
  expect(ANSWERED.filter(isSilent)).toEqual([]);
  expect(UNANSWERED.filter((question) => !isSilent(question))).toEqual([]);
});

describe("isReply", () => {
  test.each(ANSWERED)("F8 what answers %j is a reply", (question) => {
    const emulator = new Emulator(80, 24);
    // Not in the first row, where a cursor position may look like a function key.
    emulator.write("\r\n\r\n");
    const reply = emulator.query(question);
    expect(reply).not.toBe("");
    expect(isReply(reply)).toBe(true);
    expect(isReply(reply + reply)).toBe(true);
    expect(isReply(`${reply}x`)).toBe(false);
    expect(isReply(`x${reply}`)).toBe(false);
  });

  test("F8 what a viewer's terminal answers beyond that is a reply too", () => {
    const replies = [
      "\x1b[?62;22c",
      "\x1b[?997;1n",
      "\x1b[4;600;800t",
      "\x1b]lshell\x1b\\",
      "\x1b[?5u",
      "\x1b[>4;2m",
      "\x1b[?2;0;800;600S",
      "\x1b[2;1;1;128;128;1;0x",
      "\x1bP1$u1;1;1;@;@;@;0;0;@;BBBB\x1b\\",
      "\x1bP1+r544e=787465726d\x1b\\",
      "\x1b]17;rgb:ffff/0000/0000\x07",
      "\x1b]21;foreground=rgb:ff/ff/ff\x1b\\",
      "\x1b]52;c;aGVsbG8=\x07",
      "\x1b]60;allowTitleOps\x1b\\",
    ];
    expect(replies.filter((reply) => !isReply(reply))).toEqual([]);
  });

  test("F8 keys, pastes, mouse and focus are no replies", () => {
    const typed = [
      "a",
      "\r",
      "\x03",
      "\x1b",
      "\x1b[A",
      "\x1bOP",
      "\x1b[13;2~",
      "\x1b[1;2R",
      "\x1b[1;5R",
      "\x1b[1;8R",
      "\x1b[1;5P",
      "\x1b[I",
      "\x1b[O",
      "\x1b[<0;10;5M",
      "\x1b[<0;10;5m",
      "\x1b[200~\x1b[?1;2c\x1b[201~",
      "\x1b[3~",
      "\x1bb",
      "\x1b[27;5;13~",
      "\x1b[97;5u",
    ];
    expect(typed.filter(isReply)).toEqual([]);
  });

  test("F8 no text of printable characters is a reply", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => !isReply(text)));
  });
});

describe("stripQueries", () => {
  const query = fc.constantFrom(...ANSWERED, ...UNANSWERED);

  test("F17 questions go, all else stays, however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(vtStream, query), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }),
        (parts, sizes) => {
          const questions = new Set([...ANSWERED, ...UNANSWERED]);
          const kept = parts.filter((part) => !questions.has(part)).join("");
          const bytes = Buffer.from(parts.join(""));
          const state = createStripState();
          const out: Buffer[] = [];
          let at = 0;
          for (let turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            out.push(Buffer.from(stripQueries(bytes.subarray(at, at + size), state)));
            at += size;
          }
          expect(Buffer.concat(out).toString()).toBe(kept);
        },
      ),
    );
  });
});
