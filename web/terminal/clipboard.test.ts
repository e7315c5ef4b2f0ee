import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeClipboardAnswer, MAX_COPIED_CHARS, parseClipboardRequest } from "./clipboard.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("WT6 a program's text for the clipboard is read whole, or not at all", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      expect(parseClipboardRequest(`c;${base64(text)}`)).toEqual({ wants: "write", text });
    }),
  );
  expect(parseClipboardRequest("c;***")).toEqual({ wants: "nothing", why: "unreadable" });
  expect(parseClipboardRequest(`c;${Buffer.from([0xff, 0xfe]).toString("base64")}`).wants).toBe(
    "nothing",
  );
  expect(parseClipboardRequest("c;").wants).toBe("nothing");
  expect(parseClipboardRequest("nonsense").wants).toBe("nothing");
  const most = "x".repeat(MAX_COPIED_CHARS);
  expect(parseClipboardRequest(`c;${base64(most)}`).wants).toBe("write");
  expect(parseClipboardRequest(`c;${base64(`${most}x`)}`)).toEqual({
    wants: "nothing",
    why: "too long",
  });
});

test("WT51 a program that reads the clipboard asks, and its answer says what it asked for", () => {
  expect(parseClipboardRequest("c;?")).toEqual({ wants: "read", which: "c" });
  expect(parseClipboardRequest(";?")).toEqual({ wants: "read", which: "c" });
  expect(encodeClipboardAnswer("p", "é")).toBe(`\u001B]52;p;${base64("é")}\u001B\\`);
});
