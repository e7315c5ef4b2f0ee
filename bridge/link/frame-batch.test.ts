import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import { FrameBatch, REMOTE_BATCH_MS } from "./frame-batch.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function world(everyMs: number) {
  const sent: Uint8Array[] = [];
  const batch = new FrameBatch(everyMs, (message) => void sent.push(Uint8Array.from(message)));
  return { sent, batch };
}

test("L8 on this machine every frame leaves at once", () => {
  const { sent, batch } = world(0);
  for (let i = 0; i < 10; i++) batch.push(Uint8Array.of(i));
  expect(sent).toHaveLength(10);
});

test("L8 to a relay elsewhere the first leaves at once, and at most 65 messages go in a second", () => {
  const { sent, batch } = world(REMOTE_BATCH_MS);
  batch.push(Uint8Array.of(0));
  expect(sent).toHaveLength(1);
  for (let i = 1; i < 1_000; i++) {
    batch.push(Uint8Array.of(i % 256));
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(REMOTE_BATCH_MS);
  expect(sent.length).toBeLessThanOrEqual(65);
  expect(Buffer.concat(sent)).toEqual(
    Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256)),
  );
});

test("L8 no message is longer than a room takes, and what waits is dropped with its socket", () => {
  const { sent, batch } = world(REMOTE_BATCH_MS);
  for (let i = 0; i < 40; i++) batch.push(new Uint8Array(100_000));
  vi.advanceTimersByTime(REMOTE_BATCH_MS);
  for (const message of sent) expect(message.length).toBeLessThanOrEqual(MAX_LINK_MESSAGE);
  expect(sent.reduce((sum, { length }) => sum + length, 0)).toBe(4_000_000);
  const before = sent.length;
  batch.push(Uint8Array.of(1));
  batch.clear();
  vi.advanceTimersByTime(100);
  expect(sent).toHaveLength(before);
});

test("L8 frames that share a message are a copy, and their memory is free at once; one alone is sent as it is", () => {
  const passed: unknown[] = [];
  const events: string[] = [];
  const batch = new FrameBatch(REMOTE_BATCH_MS, (_message, written) => void passed.push(written));
  const alone = () => void events.push("alone");
  batch.push(Uint8Array.of(1), alone);
  expect(passed).toEqual([alone]);
  for (const name of ["first", "second"])
    batch.push(Uint8Array.of(2), () => void events.push(name));
  vi.advanceTimersByTime(REMOTE_BATCH_MS);
  expect(passed).toEqual([alone, undefined]);
  expect(events).toEqual(["first", "second"]);
});

test("L8 on this machine the socket says when a frame is written", () => {
  const passed: unknown[] = [];
  const batch = new FrameBatch(0, (_message, written) => void passed.push(written));
  const done = () => {};
  batch.push(Uint8Array.of(1), done);
  expect(passed).toEqual([done]);
});
