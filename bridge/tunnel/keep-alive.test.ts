// Signs of life in a quiet event stream: when they come, and that no client ever sees one inside an
// event. Time is the test's own.

import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EventEnds, withKeepAlive } from "./keep-alive.ts";

const COMMENT = ": keep-alive\n\n";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** An event stream that the test writes, and what a client has got of it. */
class Watched {
  text = "";
  state = "open";
  left: unknown;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: (reason) => {
        this.left = reason;
      },
    });
    const headers = { "content-type": "text/event-stream; charset=utf-8", "x-own": "yes" };
    const response = withKeepAlive(new Response(body, { status: 201, headers }));
    expect(response.status).toBe(201);
    expect(response.headers.get("x-own")).toBe("yes");
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.getReader();
  }

  async read(): Promise<void> {
    try {
      while (true) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.text += Buffer.from(value).toString();
      }
      this.state = "ended";
    } catch {
      this.state = "failed";
    }
  }

  async write(text: string): Promise<void> {
    this.#controller?.enqueue(Buffer.from(text));
    await vi.advanceTimersByTimeAsync(0);
  }

  async end(): Promise<void> {
    this.#controller?.close();
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(): Promise<void> {
    this.#controller?.error(new Error("broken"));
    await vi.advanceTimersByTimeAsync(0);
  }

  async leave(): Promise<void> {
    await this.#reader.cancel("gone");
  }
}

test("R26 a quiet stream gets a comment every 5 s", async () => {
  const watched = new Watched();
  void watched.read();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(watched.text).toBe("");
  await vi.advanceTimersByTimeAsync(1);
  expect(watched.text).toBe(COMMENT);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(watched.text).toBe(COMMENT);
  await vi.advanceTimersByTimeAsync(1);
  expect(watched.text).toBe(COMMENT.repeat(2));
  await watched.end();
  expect(watched.state).toBe("ended");
});

test("R26 a stream that says something gets none, and counts anew", async () => {
  const watched = new Watched();
  void watched.read();
  for (let event = 0; event < 5; event++) {
    await vi.advanceTimersByTimeAsync(4_000);
    await watched.write(`data: ${event}\n\n`);
  }
  expect(watched.text).not.toContain(COMMENT);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(watched.text.endsWith(`data: 4\n\n${COMMENT}`)).toBe(true);
  await watched.write("data: x\n\n");
  await vi.advanceTimersByTimeAsync(4_999);
  expect(watched.text.endsWith("data: x\n\n")).toBe(true);
  await watched.end();
});

test("R26 an event that takes its time is not cut", async () => {
  const watched = new Watched();
  void watched.read();
  await watched.write("data: half");
  await vi.advanceTimersByTimeAsync(20_000);
  await watched.write("\n");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(watched.text).toBe("data: half\n");
  await watched.write("\n");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(watched.text).toBe(`data: half\n\n${COMMENT}`);
  await watched.end();
});

test("R26 no comments pile up before a client that does not read", async () => {
  const watched = new Watched();
  await vi.advanceTimersByTimeAsync(60_000);
  void watched.read();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(watched.text).toBe(COMMENT);
  await watched.fail();
  expect(watched.state).toBe("failed");
});

test("R26 whoever leaves is told to the stream, and no timer stays", async () => {
  const watched = new Watched();
  void watched.read();
  await vi.advanceTimersByTimeAsync(6_000);
  await watched.leave();
  expect(watched.left).toBe("gone");
});

test("R26 what is no event stream stays as it is", () => {
  for (const response of [
    Response.json({ ok: true }),
    new Response(null, { headers: { "content-type": "text/event-stream" } }),
  ]) {
    expect(withKeepAlive(response)).toBe(response);
  }
});

/** The seven lines of the standard that matter here: fields are gathered, blank lines dispatch. */
function eventsOf(text: string): string[][] {
  const events: string[][] = [];
  let fields: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "" && fields.length > 0) events.push(fields.splice(0));
    if (line !== "" && !line.startsWith(":")) fields = [...fields, line];
  }
  return events;
}

test("R26 wherever a comment may go, the events are the same", () => {
  const piece = fc.constantFrom("a", "data: x", "\n", "\r", "\r\n", "\n\n", ": note", "\r\n\r\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const ends = new EventEnds();
      let commented = ends.isBetween ? COMMENT : "";
      for (const text of pieces) {
        ends.push(Buffer.from(text));
        commented += text;
        if (ends.isBetween) commented += COMMENT;
      }
      expect(eventsOf(commented)).toEqual(eventsOf(pieces.join("")));
    }),
  );
});

test("R26 every finished event is an occasion, whatever its line ends and pieces", () => {
  const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
  fc.assert(
    fc.property(lineEnd, fc.array(fc.nat(3), { maxLength: 5 }), (end, cuts) => {
      const text = `data: one${end}id: 1${end}${end}`;
      const ends = new EventEnds();
      let at = 0;
      for (const cut of cuts) {
        ends.push(Buffer.from(text.slice(at, at + cut)));
        at += cut;
      }
      ends.push(Buffer.from(text.slice(at)));
      expect(ends.isBetween).toBe(true);
      ends.push(Buffer.from("d"));
      expect(ends.isBetween).toBe(false);
    }),
  );
});
