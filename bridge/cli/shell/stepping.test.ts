import { expect, test } from "vitest";
import { pinned } from "./notice.ts";
import { inWords, keysDo, offerWords } from "./stepping.ts";

test("I69 in an agent's terminal no key is typed before somebody has stepped in; `i` does, others say so", () => {
  expect(keysDo("looking", Buffer.from("i"))).toBe("step in");
  for (const keys of ["x", "\r", "ii", "\u001b[A"]) {
    expect(keysDo("looking", Buffer.from(keys)), keys).toBe("offer");
  }
  expect(keysDo("asked", Buffer.from("secret"))).toBe("nothing");
  expect(keysDo("in", Buffer.from("i"))).toBe("type");
  expect(offerWords("Ctrl-\\")[0]).toContain("agent");
});

test("I101 the window says which program reads, who started it, and that sudo stays open", () => {
  const words = inWords({ program: "/usr/bin/su", startedBy: "claude" }, "Ctrl-\\").join(" · ");
  expect(words).toMatch(/\/usr\/bin\/su of claude.*hands back.*sudo stays open/);
  expect(words.length).toBeLessThan(80);
  expect(inWords({ program: null }, "Ctrl-\\")[0]).toContain("another user");
});

test("I103 the line about it stays on the last row, and the program scrolls above it", () => {
  const text = pinned(["you type into sudo"], 40, 24);
  expect(text).toContain("\u001B[1;23r");
  expect(text).toContain("\u001B[24;1H");
  expect(text.startsWith("\u001B7") && text.endsWith("\u001B8")).toBe(true);
});
