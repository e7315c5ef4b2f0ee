// One tunnelled request against a bridge made of frames only, to test timeouts with a fake clock.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { Exchange, HEAD_TIMEOUT_MS } from "./exchange.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function asked(path = "/mcp", body?: ReadableStream) {
  const sent: number[] = [];
  const link = {
    send: (type: number) => void sent.push(type),
    sendJson: (type: number) => void sent.push(type),
    batch: (work: () => void) => work(),
  };
  let isOver = false;
  const method = body === undefined ? "GET" : "POST";
  const open = { method, path, headers: [], grant: "a0a0a0a0a0" };
  const exchange = new Exchange(link, 7, open, () => (isOver = true));
  const streamed = body === undefined ? {} : { method, body, duplex: "half" as const };
  const answer = exchange.run(new Request(`http://relay/w/room${path}`, streamed));
  const take = (type: number, value?: object) =>
    exchange.take({
      type,
      flags: 0,
      stream: 7,
      payload: value === undefined ? new Uint8Array() : toPayload(value),
    });
  return { sent, answer, take, isOver: () => isOver };
}

test("R57 a bridge that does not answer is 504, and is told that no one waits", async () => {
  const { sent, answer, take, isOver } = asked();
  vi.advanceTimersByTime(HEAD_TIMEOUT_MS - 1);
  expect(isOver()).toBe(false);
  vi.advanceTimersByTime(1);
  const response = await answer;
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ code: "bridge_timeout" });
  expect(sent).toEqual([FrameType.streamOpen, FrameType.streamEnd, FrameType.streamCancel]);
  // Frames after the timeout are ignored.
  take(FrameType.streamHead, { status: 200, headers: [] });
  take(FrameType.streamEnd);
  expect(sent).toHaveLength(3);
  expect(isOver()).toBe(true);
});

test("R56 what follows the head may take as long as it likes", async () => {
  const { sent, answer, take } = asked();
  take(FrameType.streamHead, { status: 200, headers: [] });
  const response = await answer;
  vi.advanceTimersByTime(2 * HEAD_TIMEOUT_MS);
  take(FrameType.streamEnd);
  expect(await response.text()).toBe("");
  expect(sent).not.toContain(FrameType.streamCancel);
  expect(vi.getTimerCount()).toBe(0);
});

test("R57 a file has as long as it goes on, and no other body has", async () => {
  for (const [path, isFile] of [["/files?name=x", true] as const, ["/filesx", false] as const]) {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const { answer, isOver } = asked(path, body.readable);
    const writer = body.writable.getWriter();
    await writer.write(new Uint8Array(9));
    vi.advanceTimersByTime(HEAD_TIMEOUT_MS - 1);
    await writer.write(new Uint8Array(9));
    // Forwarding the piece takes microtasks, which fake timers do not run.
    for (let step = 0; step < 50; step++) await Promise.resolve();
    vi.advanceTimersByTime(HEAD_TIMEOUT_MS - 1);
    expect(isOver()).toBe(!isFile);
    vi.advanceTimersByTime(1);
    expect((await answer).status).toBe(504);
  }
});
