// The bridge's side of tunnelled HTTP against a room of frames only, for what no honest room does
// and what a socket would hide: turns, faults, forgotten requests.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Frame } from "../../../protocol/frame.ts";
import { decodeFrames } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { StreamCancel, StreamHead } from "../../../protocol/http.ts";
import { parsePayload, toPayload } from "../../../protocol/json.ts";
import { FRAME_SOFT_BYTES, KiB, MAX_HTTP_BODY, STREAM_WINDOW } from "../../../protocol/limits.ts";
import { encodeOffset } from "../../../protocol/output.ts";
import { toText } from "../../../protocol/text.ts";
import { Hub } from "../../callers/hub.ts";
import { createLog } from "../../log.ts";
import { HttpTunnel } from "./http-tunnel.ts";

type Handler = (request: Request) => Promise<Response>;

const GRANT = {
  id: "a0a0a0a0a0",
  role: "edit",
  scopes: [],
  label: "",
  hash: "0".repeat(64),
} as const;

/** A room that sends the test's frames and records what it gets, message by message. */
/** Timestamp of a request that waited too long. */
const LATE = 1;

class FakeRoom {
  readonly messages: Frame[][] = [];
  readonly tunnel: HttpTunnel;
  readonly log: string[] = [];
  isGood = true;

  constructor(handler: Handler) {
    const take = (bytes: Uint8Array) => void this.messages.push(decodeFrames(bytes).frames);
    const grants = {
      lookUp: () =>
        this.isGood ? { ...GRANT, scopes: [], expiresAt: null, session: true as const } : undefined,
      onEvent: () => () => {},
    };
    const log = createLog("warn", (line) => this.log.push(line));
    const hub = new Hub(grants, log);
    hub.registerRoute({
      path: "/x",
      requires: "nothing",
      serve: (_caller, request) => handler(request),
    });
    this.tunnel = new HttpTunnel({
      link: {
        send: () => expect.unreachable("frames of the tunnel leave in turns"),
        sendBytes: take,
      },
      grants,
      hub,
      log,
      isLate: (at) => at === LATE,
    });
  }

  get frames(): Frame[] {
    return this.messages.flat();
  }

  send(type: keyof typeof FrameType, stream: number, payload: Uint8Array = new Uint8Array()) {
    this.tunnel.onFrame({ type: FrameType[type], flags: 0, stream, payload });
  }

  open(stream: number, method = "GET", path = "/x", at = 0): void {
    const head = { method, path, headers: [], grant: GRANT.id, at };
    this.send("streamOpen", stream, toPayload(head));
  }

  of(type: keyof typeof FrameType, stream = 1): Frame[] {
    return this.frames.filter((frame) => frame.type === FrameType[type] && frame.stream === stream);
  }

  bytes(stream = 1): number {
    return this.of("streamData", stream).reduce((sum, { payload }) => sum + payload.length, 0);
  }

  status(stream = 1): number | undefined {
    const [head] = this.of("streamHead", stream);
    const parsed = head && parsePayload(StreamHead, head.payload);
    return parsed?.ok === true ? parsed.value.status : undefined;
  }

  reason(stream = 1): string {
    const [cancel] = this.of("streamCancel", stream);
    const parsed = cancel && parsePayload(StreamCancel, cancel.payload);
    return parsed?.ok === true ? parsed.value.reason : "";
  }
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const endless = () =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100 * KiB)),
    }),
  );

test("R61 a short request is answered in one message, in the turn it came", async () => {
  const room = new FakeRoom(async (request) => Response.json({ got: await request.text() }));
  room.open(1, "POST");
  room.send("streamData", 1, Buffer.from("hello"));
  room.send("streamEnd", 1);
  await turns(2);
  expect(room.messages).toHaveLength(1);
  expect(room.frames.map(({ type }) => type)).toEqual([
    FrameType.streamHead,
    FrameType.streamData,
    FrameType.streamEnd,
  ]);
  expect(Buffer.from(room.frames[1]?.payload ?? []).toString()).toBe('{"got":"hello"}');
});

test("R23 the head leaves before the first byte of the body is there", async () => {
  const room = new FakeRoom(async () => new Response(new ReadableStream({})));
  room.open(1);
  await turns();
  expect(room.status()).toBe(200);
  expect(room.of("streamEnd")).toEqual([]);
  room.tunnel.dropAll("done");
});

test("R25 an answer stops at its window and goes on by exactly its credit", async () => {
  const room = new FakeRoom(async () => endless());
  room.open(1);
  await turns();
  expect(room.bytes()).toBe(STREAM_WINDOW);
  room.send("streamCredit", 1, encodeOffset(STREAM_WINDOW + 1234));
  await turns();
  expect(room.bytes()).toBe(STREAM_WINDOW + 1234);
  for (const { payload } of room.of("streamData")) {
    expect(payload.length).toBeLessThanOrEqual(FRAME_SOFT_BYTES);
  }
  room.send("streamCancel", 1, toPayload({ reason: "enough" }));
  room.send("streamCredit", 1, encodeOffset(10 * STREAM_WINDOW));
  await turns();
  expect(room.bytes()).toBe(STREAM_WINDOW + 1234);
  expect(room.of("streamCancel")).toEqual([]);
});

test("R62 however many answers there are, a turn carries little, and each gets its part", async () => {
  const room = new FakeRoom(async () => endless());
  const streams = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const stream of streams) room.open(stream);
  const total = () => streams.reduce((sum, stream) => sum + room.bytes(stream), 0);
  for (let before = -1; before !== total();) {
    before = total();
    await turns(1);
    expect(total() - before).toBeLessThanOrEqual(192 * KiB);
    // The first turn only opens the streams.
    if (before === 0) await turns(1);
  }
  for (const stream of streams) expect(room.bytes(stream)).toBe(STREAM_WINDOW);
  const half = room.messages.slice(0, room.messages.length / 2).flat();
  for (const stream of streams) {
    expect(half.some((frame) => frame.stream === stream)).toBe(true);
  }
  room.tunnel.dropAll("done");
});

test("R25 a request is given credit as it is read, and not before", async () => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const room = new FakeRoom((request) => {
    reader = request.body?.getReader();
    return new Promise(() => undefined);
  });
  room.open(1, "POST");
  await turns();
  for (let at = 0; at < STREAM_WINDOW; at += FRAME_SOFT_BYTES) {
    room.send("streamData", 1, new Uint8Array(FRAME_SOFT_BYTES));
  }
  await turns();
  expect(room.of("streamCredit")).toEqual([]);
  await reader?.read();
  await turns();
  expect(room.of("streamCredit").map(({ payload }) => Buffer.from(payload))).toEqual([
    Buffer.from(encodeOffset(STREAM_WINDOW + FRAME_SOFT_BYTES)),
  ]);
  room.tunnel.dropAll("done");
});

test("R63 a room that sends without credit, or too much, loses that request alone", async () => {
  const reasons: unknown[] = [];
  const room = new FakeRoom((request) => {
    request.signal.addEventListener("abort", () => reasons.push(request.signal.reason));
    return new Promise(() => undefined);
  });
  room.open(1, "POST");
  room.open(2, "POST");
  room.send("streamData", 1, new Uint8Array(STREAM_WINDOW));
  room.send("streamData", 1, new Uint8Array(1));
  room.send("streamCredit", 2, Buffer.from("?"));
  await turns();
  expect(room.reason(1)).toContain("without credit");
  expect(room.reason(2)).toContain("not a number");
  const reading = new FakeRoom(async (request) => new Response(await request.text()));
  reading.open(1, "POST");
  await turns();
  for (let sent = 0; sent <= MAX_HTTP_BODY; sent += FRAME_SOFT_BYTES) {
    reading.send("streamData", 1, new Uint8Array(FRAME_SOFT_BYTES));
    await turns(3);
  }
  expect(reading.reason()).toContain("too long");
});

test("R26 a cancel aborts the handler, and its answer goes nowhere", async () => {
  let answer: (response: Response) => void = () => undefined;
  let isLeft = false;
  const room = new FakeRoom(
    (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener("abort", () => undefined);
        answer = resolve;
      }),
  );
  room.open(1);
  await turns();
  room.send("streamCancel", 1, toPayload({ reason: "the client left" }));
  answer(
    new Response(
      new ReadableStream({
        cancel: () => {
          isLeft = true;
        },
      }),
    ),
  );
  await turns();
  expect(isLeft).toBe(true);
  expect(room.frames).toEqual([]);
});

test("R26 a handler that keeps only the signal is told all the same", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let aborts = 0;
  const room = new FakeRoom(async ({ signal }) => {
    signal.addEventListener("abort", () => aborts++);
    return new Response(new ReadableStream({}));
  });
  for (let stream = 1; stream <= 20; stream++) room.open(stream, "POST");
  await turns();
  collect();
  await turns();
  collect();
  room.tunnel.dropAll("the link was lost");
  expect(aborts).toBe(20);
});

test("R64 answers that break off are cancelled with a reason, and logged", async () => {
  const bodies = [
    new ReadableStream({ pull: () => Promise.reject(new Error("disk full")) }),
    new ReadableStream({ start: (controller) => controller.enqueue("text") }),
  ];
  const room = new FakeRoom(async () => new Response(bodies.shift() ?? null));
  room.open(1);
  room.open(2);
  await turns();
  for (const stream of [1, 2]) {
    expect(room.status(stream)).toBe(200);
    expect(room.reason(stream)).toContain("was cut off");
    expect(room.of("streamEnd", stream)).toEqual([]);
  }
  expect(room.log.join("")).toContain("disk full");
});

test("R65 a head that does not fit is cancelled at once, and a handler's throw is a 500", async () => {
  const room = new FakeRoom(() => Promise.reject(new Error("secret")));
  room.send("streamOpen", 1, Buffer.from("{}"));
  room.open(2);
  await turns();
  expect(room.reason(1)).toContain("head");
  expect(room.status(2)).toBe(500);
  expect(Buffer.from(room.of("streamData", 2)[0]?.payload ?? []).toString()).not.toContain(
    "secret",
  );
});

test("G2 a grant that is gone is 401 before the handler, and ends an answer under way", async () => {
  const room = new FakeRoom(async () => endless());
  room.open(1);
  await turns();
  room.isGood = false;
  room.send("streamCredit", 1, encodeOffset(10 * STREAM_WINDOW));
  room.open(2);
  await turns();
  expect(room.bytes()).toBe(STREAM_WINDOW);
  expect(room.reason()).toContain("token has expired");
  expect(room.status(2)).toBe(401);
});

test("R26 frames held for a link that is lost are not sent on the next", async () => {
  const room = new FakeRoom(async () => new Response("x"));
  room.open(1);
  await Promise.resolve();
  for (let microtask = 0; microtask < 20; microtask++) await Promise.resolve();
  room.tunnel.dropAll("the link was lost");
  await turns();
  expect(room.frames).toEqual([]);
});

test("L20 L22 a late request is answered 503 with Retry-After and not served; one that changes nothing is", async () => {
  const served: string[] = [];
  const room = new FakeRoom(async ({ method }) => {
    served.push(method);
    return Response.json({});
  });
  for (const [index, method] of ["POST", "DELETE", "PUT", "GET", "HEAD"].entries()) {
    room.open(index + 1, method, "/x", LATE);
    room.send("streamEnd", index + 1);
  }
  await turns();
  expect(served.toSorted()).toEqual(["GET", "HEAD"]);
  expect([1, 2, 3, 4, 5].map((stream) => room.status(stream))).toEqual([503, 503, 503, 200, 200]);
  const [head] = room.of("streamHead", 1);
  expect(toText(head?.payload ?? new Uint8Array())).toContain("retry-after");
  expect(toText(room.of("streamData", 1)[0]?.payload ?? new Uint8Array())).toContain("host_asleep");
});
