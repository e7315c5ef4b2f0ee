import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ScreenCaptures } from "./screen-captures.ts";

const SNAPSHOT = {
  cols: 80,
  rows: 1,
  cursor: { x: 0, y: 0 },
  bufferType: "normal",
  lines: ["x"],
  wrapped: [false],
  timestamp: "2026-01-01T00:00:00.000Z",
} as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function asked(captures: ScreenCaptures, key: string) {
  let requestId = "";
  const answer = captures.request(key, 2_000, (id) => {
    requestId = id;
  });
  return { requestId, answer };
}

test("Z48 the first answer of the panel that was asked counts, and no one else's", async () => {
  const captures = new ScreenCaptures();
  const { requestId, answer } = asked(captures, "session:s::p");
  const snapshot = { ...SNAPSHOT, lines: [...SNAPSHOT.lines], wrapped: [...SNAPSHOT.wrapped] };
  captures.answer("session:s::other", requestId, {
    ok: true,
    snapshot: { ...snapshot, cols: 1 },
  });
  captures.answer("session:s::p", "made up", { ok: true, snapshot: { ...snapshot, cols: 2 } });
  captures.answer("session:s::p", requestId, { ok: true, snapshot });
  const failed = { ok: false, code: "terminal_snapshot_failed", error: "late" } as const;
  captures.answer("session:s::p", requestId, failed);
  expect(await answer).toEqual({ ok: true, snapshot });
  expect(vi.getTimerCount()).toBe(0);
});

test("Z48 no answer is a timeout, and an end of the bridge a failure; neither leaves a timer", async () => {
  const captures = new ScreenCaptures();
  const late = asked(captures, "session:s::p");
  vi.advanceTimersByTime(2_000);
  expect(await late.answer).toMatchObject({ ok: false, code: "terminal_snapshot_timeout" });
  const open = asked(captures, "session:s::p");
  captures.dispose();
  expect(await open.answer).toMatchObject({ ok: false, code: "terminal_snapshot_failed" });
  expect(vi.getTimerCount()).toBe(0);
});

test("Z48 more questions at once than anyone needs are refused", async () => {
  const captures = new ScreenCaptures();
  for (let i = 0; i < 64; i++) asked(captures, "session:s::p");
  const { answer } = asked(captures, "session:s::p");
  expect(await answer).toMatchObject({ code: "terminal_snapshot_failed" });
  captures.dispose();
});
