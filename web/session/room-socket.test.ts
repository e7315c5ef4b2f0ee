import { expect, test } from "vitest";
import { FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import { BACKOFF, backoff } from "./room-socket.ts";
import { explainRefusal } from "./refusal.ts";

test("W3 waits grow from at once to a bound", () => {
  expect(backoff(0)).toBe(0);
  expect(backoff(1)).toBe(BACKOFF.firstMs);
  expect(backoff(2)).toBeGreaterThan(backoff(1));
  expect(backoff(500)).toBe(BACKOFF.maxMs);
});

test("W6 every final close code is explained", () => {
  for (const code of FINAL_CLOSE_CODES) {
    const { title, text } = explainRefusal(code);
    expect(title).not.toBe("");
    expect(text).not.toBe("");
  }
  expect(explainRefusal(4401).command).toBe("pairpty share");
});

test("PE7 who is sent away reads by whom, where the bridge says it", () => {
  const title = (away: Parameters<typeof explainRefusal>[1]) => explainRefusal(4411, away).title;
  expect(title({ away: { why: "removed", by: "Ben (guest)" } })).toBe(
    "Ben (guest) removed you from this room",
  );
  expect(title({ away: { why: "removed" } })).toBe("Someone removed you from this room");
  expect(title({ away: { why: "turned away" } })).toBe("You were not let in");
  const command = (you?: string) =>
    explainRefusal(4411, { away: { why: "removed", ...(you && { you }) } }).command;
  expect([command("1a2b3c4d"), command()]).toEqual([
    "pairpty admit 1a2b3c4d",
    "pairpty admit <who>",
  ]);
});
