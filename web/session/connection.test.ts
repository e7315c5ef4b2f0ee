import { expect, test } from "vitest";
import { FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import { BACKOFF, backoff } from "./connection.ts";
import { explainRefusal } from "./refusal.ts";

test("W3 waits grow from at once to a bound", () => {
  expect(backoff(0)).toBe(0);
  expect(backoff(1)).toBe(BACKOFF.firstMs);
  expect(backoff(2)).toBeGreaterThan(backoff(1));
  expect(backoff(500)).toBe(BACKOFF.mostMs);
});

test("W6 every final close code is explained", () => {
  for (const code of FINAL_CLOSE_CODES) {
    const { title, text } = explainRefusal(code);
    expect(title).not.toBe("");
    expect(text).not.toBe("");
  }
  expect(explainRefusal(4401).command).toBe("pairpty share");
});
