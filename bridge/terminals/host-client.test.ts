// The client with a pty host that sends only what a test wants.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { HostWelcome, TerminalState } from "../../protocol/host.ts";
import { toPayload } from "../../protocol/json.ts";
import { FRAME_SOFT_BYTES, HOST_VERSION } from "../../protocol/limits.ts";
import { CHUNK_LAST, encodeChunk, OUTPUT_HEADER_BYTES } from "../../protocol/output.ts";
import { toBytes } from "../../protocol/text.ts";
import { HostClient } from "./host-client.ts";

const WELCOME: HostWelcome = {
  version: HOST_VERSION,
  pid: 1,
  instance: "0".repeat(32),
  state: null,
};

const RUNNING: TerminalState = {
  id: "pty-000000000001",
  pid: 2,
  epoch: 7,
  cols: 80,
  rows: 24,
  first: 0,
  end: 5,
  exit: null,
  meta: {},
};

test("H15 what ends, or is called otherwise, before anyone listens is found so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-host-"));
  const path = join(folder, "host.sock");
  const exit = { exitCode: 3, signal: null };
  const server = createServer((socket) => {
    const say = (type: number, stream: number, value: object) =>
      socket.write(encodeFrame(type, stream, toPayload(value)));
    socket.once("data", () => {
      say(FrameType.hostWelcome, 0, WELCOME);
      say(FrameType.terminalState, 4, RUNNING);
      socket.write(encodeFrame(FrameType.caughtUp, 0, toBytes("")));
      say(FrameType.title, 4, { title: "vim" });
      say(FrameType.exited, 4, { exit, end: 9 });
      // Answered after all of it.
      socket.on("data", () => socket.write(encodeFrame(FrameType.alive, 0)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  try {
    const client = await HostClient.connect(path);
    await client.nudge();
    expect(client.found).toMatchObject([{ handle: 4, title: "vim", exit, end: 9 }]);
    client.close();
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test("E12 a pty host that died before anyone listened is told as gone to whoever listens then", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-host-"));
  const path = join(folder, "host.sock");
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(encodeFrame(FrameType.hostWelcome, 0, toPayload(WELCOME)));
      socket.end(encodeFrame(FrameType.caughtUp, 0, toBytes("")));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  try {
    const client = await HostClient.connect(path);
    // No answers come once the end was read.
    await client.nudge().catch(() => {});
    const gone = new Promise<string>((resolve) => {
      const nothing = () => {};
      client.listen({
        onOutput: nothing,
        onGap: nothing,
        onActivity: nothing,
        onExited: nothing,
        onQuery: nothing,
        onTitle: nothing,
        onFault: nothing,
        onClosed: resolve,
      });
    });
    expect(await gone).toMatch(/closed|EPIPE|ECONNRESET/);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test("T11 what throws for a frame of the pty host is told as a fault, and the next frame is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-host-"));
  const path = join(folder, "host.sock");
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(encodeFrame(FrameType.hostWelcome, 0, toPayload(WELCOME)));
      socket.write(encodeFrame(FrameType.caughtUp, 0, toBytes("")));
      const title = (text: string) => encodeFrame(FrameType.title, 4, toPayload({ title: text }));
      // In one piece, and only after a listener was added.
      socket.on("data", () => {
        const alive = encodeFrame(FrameType.alive, 0);
        socket.write(Buffer.concat([title("bad"), title("good"), alive]));
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  try {
    const client = await HostClient.connect(path);
    const [titles, faults]: [string[], unknown[]] = [[], []];
    const nothing = () => {};
    client.listen({
      onOutput: nothing,
      onGap: nothing,
      onActivity: nothing,
      onExited: nothing,
      onQuery: nothing,
      onTitle: (_handle, title) => {
        if (title === "bad") throw new Error("a bug of ours");
        titles.push(title);
      },
      onFault: (frame, error) => faults.push([frame, error]),
      onClosed: nothing,
    });
    await client.nudge();
    expect(titles).toEqual(["good"]);
    expect(faults).toEqual([[FrameType.title, new Error("a bug of ours")]]);
    client.close();
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});

test("H26 what was asked for is what was retained, however much output comes between its pieces", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-host-"));
  const path = join(folder, "host.sock");
  const flood = encodeFrame(
    FrameType.output,
    4,
    Buffer.concat([new Uint8Array(OUTPUT_HEADER_BYTES), Buffer.alloc(FRAME_SOFT_BYTES, "x")]),
  );
  const piece = (offset: number, text: string, flags: number) =>
    encodeFrame(FrameType.chunk, 4, encodeChunk(1, offset, toBytes(text)), flags);
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(encodeFrame(FrameType.hostWelcome, 0, toPayload(WELCOME)));
      socket.write(encodeFrame(FrameType.terminalState, 4, toPayload(RUNNING)));
      socket.write(encodeFrame(FrameType.caughtUp, 0, toBytes("")));
      socket.once("data", () => {
        socket.write(piece(0, "first ", 0));
        for (let i = 0; i < 64; i++) socket.write(flood);
        socket.write(piece(6, "last", CHUNK_LAST));
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  try {
    const client = await HostClient.connect(path);
    const text = await client.fetch(4, 0, 100, ({ bytes }) => bytes.toString());
    expect(text).toBe("first last");
    client.close();
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
