// The text of a sealed link, whole and otherwise.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FrameType } from "../frame-types.ts";
import { formatSealedLink, parseSealedLink } from "./link.ts";
import { SealedFrame } from "./messages.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const word = (length: number) =>
  fc.string({
    unit: fc.nat(61).map((at) => ALPHABET.charAt(at)),
    minLength: length,
    maxLength: length,
  });
const anyLink = fc.record({
  id: word(10),
  secret: word(32),
  hostKey: fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)),
});
const why = (text: string) => {
  const parsed = parseSealedLink(text);
  return parsed.ok ? "ok" : parsed.why;
};

test("SE2 a link has 91 characters of one word, and parsing returns what was formatted", () => {
  fc.assert(
    fc.property(anyLink, (link) => {
      const text = formatSealedLink(link);
      expect(text).toMatch(/^\w{91}$/);
      expect(parseSealedLink(text)).toEqual({ ok: true, link });
    }),
  );
  for (const byte of [0, 255]) {
    const link = { id: "a".repeat(10), secret: "b".repeat(32), hostKey: new Uint8Array(32) };
    link.hostKey.fill(byte);
    expect(parseSealedLink(formatSealedLink(link))).toEqual({ ok: true, link });
  }
});

test("SE3 a link cut anywhere is incomplete, and the sentence says so", () => {
  fc.assert(
    fc.property(anyLink, fc.integer({ min: 4, max: 90 }), (link, length) => {
      expect(why(formatSealedLink(link).slice(0, length))).toBe("cut");
    }),
  );
  const cut = parseSealedLink("pp2_abc");
  expect(cut.ok ? "" : cut.message).toContain("copy the whole link");
});

test("SE3 a damaged link, one of a newer version and other text are told apart", () => {
  const whole = formatSealedLink({
    id: "a".repeat(10),
    secret: "b".repeat(32),
    hostKey: new Uint8Array(32),
  });
  expect(why(`${whole}.`)).toBe("damaged");
  expect(why(`${whole.slice(0, 20)}-${whole.slice(21)}`)).toBe("damaged");
  // More than 32 bytes hold.
  expect(why(`${whole.slice(0, -43)}${"z".repeat(43)}`)).toBe("damaged");
  expect(why("pp3_what_comes_next")).toBe("newer");
  for (const text of ["", "hello", "pp1_x", `pp_${"a".repeat(10)}_${"b".repeat(32)}`, "pp2"])
    expect(why(text)).toBe("not a link");
});

test("SE1 the frames of a handshake have numbers that no other frame has", () => {
  const taken = new Set<number>(Object.values(FrameType));
  expect(Object.values(SealedFrame).filter((type) => taken.has(type))).toEqual([]);
});
