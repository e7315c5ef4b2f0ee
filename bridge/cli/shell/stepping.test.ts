import { expect, test } from "vitest";
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

test("I67 the window says which program reads, who started it, and that sudo stays open", () => {
  const words = inWords({ program: "/usr/bin/su", startedBy: "claude" }, "Ctrl-\\").join(" · ");
  expect(words).toMatch(/\/usr\/bin\/su, started by claude.*hides it.*sudo stays open afterwards/);
  expect(inWords({ program: null }, "Ctrl-\\")[0]).toContain("another user");
});
