import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clipboardAnswer, MOST_COPIED_CHARS, wishOf } from "./clipboard.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("WT6 a program's text for the clipboard is read whole, or not at all", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      expect(wishOf(`c;${base64(text)}`)).toEqual({ wants: "write", text });
    }),
  );
  expect(wishOf("c;***")).toEqual({ wants: "nothing", why: "unreadable" });
  expect(wishOf(`c;${Buffer.from([0xff, 0xfe]).toString("base64")}`).wants).toBe("nothing");
  expect(wishOf("c;").wants).toBe("nothing");
  expect(wishOf("nonsense").wants).toBe("nothing");
  const most = "x".repeat(MOST_COPIED_CHARS);
  expect(wishOf(`c;${base64(most)}`).wants).toBe("write");
  expect(wishOf(`c;${base64(`${most}x`)}`)).toEqual({ wants: "nothing", why: "too long" });
});

test("WT51 a program that reads the clipboard asks, and its answer says what it asked for", () => {
  expect(wishOf("c;?")).toEqual({ wants: "read", which: "c" });
  expect(wishOf(";?")).toEqual({ wants: "read", which: "c" });
  expect(clipboardAnswer("p", "é")).toBe(`\u001B]52;p;${base64("é")}\u001B\\`);
});
