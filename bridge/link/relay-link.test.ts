// The link against a fake relay that the test controls.

import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { KNOCK_HEADER, KNOCK_PATTERN } from "../../protocol/link.ts";
import { KiB, MAX_INPUT_AGE_MS, NUDGE_TIMEOUT_MS, LINK_VERSION } from "../../protocol/limits.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { createLog } from "../log.ts";
import { parseRelayAddress } from "./relay-address.ts";
import { MAX_TICK_GAP_MS, RELAY_WAKES_MS } from "./freshness.ts";
import { RelayLink } from "./relay-link.ts";
import { PING_AFTER_MS, SUSPECT_AFTER_MS } from "./liveness.ts";
import { DIRECT } from "./dial-route.ts";

const CREDENTIALS = { workspace: "room", publicKey: "0".repeat(64), sign: () => "0".repeat(128) };

interface Dialling {
  readonly server: WebSocketServer;
  readonly link: RelayLink;
  readonly listeners: EventEmitter;
}

async function dialling(underWay = () => false): Promise<Dialling> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const listeners = new EventEmitter();
  const link = new RelayLink(
    parseRelayAddress(`http://127.0.0.1:${port}`, false),
    DIRECT,
    CREDENTIALS,
    "0".repeat(32),
    {
      onUp: () => void listeners.emit("up"),
      onFrame: (frame) => void listeners.emit("frame", frame),
      onDown: (reason) => void listeners.emit("down", reason),
      onRefused: () => {},
      onFailed: () => {},
      hasUnconfirmed: underWay,
    },
    createLog("silent", () => {}),
  );
  link.start();
  return { server, link, listeners };
}

/** Acts as a room up to the hello. */
async function greeted(server: WebSocketServer) {
  const [socket, request] = (await once(server, "connection")) as [WebSocket, IncomingMessage];
  const challenge = { version: LINK_VERSION, nonce: "0".repeat(64) };
  socket.send(encodeFrame(FrameType.challenge, 0, toPayload(challenge)));
  const [hello] = (await once(socket, "message")) as [Buffer];
  return { socket, request, hello };
}

function accept(socket: WebSocket): void {
  const accepted = { version: LINK_VERSION, now: Date.now() };
  socket.send(encodeFrame(FrameType.accepted, 0, toPayload(accepted)));
}

test("L1 a link that is open and greeted is not up, and sends nothing; accepted it is", async () => {
  const { server, link, listeners } = await dialling();
  const { socket, request, hello } = await greeted(server);
  // The room recognises its own bridge by it, among strangers [R40].
  expect(request.headers[KNOCK_HEADER]).toMatch(KNOCK_PATTERN);
  expect(decodeFrames(hello).frames[0]?.type).toBe(FrameType.hello);
  expect([link.isUp, link.status.up]).toEqual([false, false]);
  link.send(FrameType.nudge, 1);

  const up = once(listeners, "up");
  accept(socket);
  await up;
  expect([link.isUp, link.status.up]).toEqual([true, true]);
  link.send(FrameType.nudge, 2);
  const [first] = (await once(socket, "message")) as [Buffer];
  expect(decodeFrames(first).frames.map(({ stream }) => stream)).toEqual([2]);
  link.stop();
  server.close();
});

test("L1 whoever sends bytes is told when the socket has them", async () => {
  const { server, link, listeners } = await dialling();
  const { socket } = await greeted(server);
  const up = once(listeners, "up");
  accept(socket);
  await up;
  const frame = encodeFrame(FrameType.nudge, 3, new Uint8Array(64 * KiB));
  const received = once(socket, "message");
  await new Promise<void>((resolve) => {
    link.sendBytes(frame, resolve);
  });
  frame.fill(0);
  const [message] = (await received) as [Buffer];
  expect(decodeFrames(message).frames.map(({ stream }) => stream)).toEqual([3]);
  link.stop();
  server.close();
});

test("L2 a link that stalls without a word is pinged, nudged, given up and dialled anew", async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const { server, link, listeners } = await dialling();
  const { socket } = await greeted(server);
  const up = once(listeners, "up");
  accept(socket);
  await up;
  // A silent cut: the bridge's messages are accepted, and nothing comes back.
  const received: string[] = [];
  socket.on("message", (data: Buffer, isBinary) =>
    received.push(isBinary ? `frame ${decodeFrames(data).frames[0]?.type}` : data.toString()),
  );
  const says = async (count: number) => {
    while (received.length < count) await once(socket, "message");
  };
  vi.advanceTimersByTime(PING_AFTER_MS + 1_000);
  await says(1);
  vi.advanceTimersByTime(SUSPECT_AFTER_MS + 1_000);
  await says(2);
  expect(received).toEqual(["ping", `frame ${FrameType.nudge}`]);
  const down = once(listeners, "down");
  const again = greeted(server);
  vi.advanceTimersByTime(NUDGE_TIMEOUT_MS + 1_000);
  expect(await down).toEqual(["the relay no longer answers"]);
  expect(link.isUp).toBe(false);
  vi.advanceTimersByTime(1_000);
  const next = await again;
  const upAgain = once(listeners, "up");
  accept(next.socket);
  await upAgain;
  expect(link.isUp).toBe(true);
  link.stop();
  server.close();
});

test("L2 with bytes under way a stall is found out without a ping", async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const { server, link, listeners } = await dialling(() => true);
  const { socket } = await greeted(server);
  const up = once(listeners, "up");
  accept(socket);
  await up;
  const nudged = once(socket, "message");
  vi.advanceTimersByTime(SUSPECT_AFTER_MS + 1_000);
  const [message] = (await nudged) as [Buffer];
  expect(decodeFrames(message).frames[0]?.type).toBe(FrameType.nudge);
  const down = once(listeners, "down");
  vi.advanceTimersByTime(NUDGE_TIMEOUT_MS + 1_000);
  await down;
  link.stop();
  server.close();
});

/** An accepted link to a fake relay, on clocks that the test moves. */
async function timed() {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const { server, link, listeners } = await dialling();
  onTestFinished(() => {
    link.stop();
    server.close();
  });
  const { socket } = await greeted(server);
  const up = once(listeners, "up");
  accept(socket);
  await up;
  const nudged = async () => {
    const [message] = (await once(socket, "message")) as [Buffer];
    expect(decodeFrames(message).frames[0]?.type).toBe(FrameType.nudge);
  };
  /** Resolves when everything sent before was handled. */
  const handled = async () => {
    const came = once(listeners, "frame");
    socket.send(encodeFrame(FrameType.caughtUp, 0));
    await came;
  };
  const alive = async (now: number) => {
    socket.send(encodeFrame(FrameType.alive, 0, encodeOffset(now)));
    await handled();
  };
  return { link, nudged, alive, handled };
}

test("L11 L16 a message with an old stamp is late, and so is all behind it until a nudge is answered", async () => {
  const { link, nudged, alive } = await timed();
  expect(link.isLate(Date.now() - MAX_INPUT_AGE_MS)).toBe(false);
  const asked = nudged();
  expect(link.isLate(Date.now() - MAX_INPUT_AGE_MS - 1)).toBe(true);
  expect(link.isLate(Date.now())).toBe(true);
  await asked;
  expect(link.isLate(Date.now())).toBe(true);
  await alive(Date.now());
  expect(link.isLate(Date.now())).toBe(false);
});

test("L11 L16 clocks that are set apart cost one message: the answer tells the new offset", async () => {
  const { link, nudged, alive } = await timed();
  const ahead = Date.now() + 3_600_000;
  const asked = nudged();
  expect(link.isLate(ahead)).toBe(true);
  await asked;
  await alive(ahead);
  expect(link.isLate(ahead)).toBe(false);
  expect(link.isLate(Date.now())).toBe(true);
});

test("L18 a process that stood still takes no frame for new, whether its timer or its socket comes first", async () => {
  for (const first of ["socket", "timer"]) {
    const { link, nudged, alive, handled } = await timed();
    const asked = nudged();
    // Both clocks advance while this process does not run.
    vi.setSystemTime(Date.now() + MAX_TICK_GAP_MS + 1_001);
    if (first === "timer") vi.advanceTimersToNextTimer();
    await handled();
    expect(link.isLate(Date.now()), first).toBe(true);
    await asked;
    await alive(Date.now());
    // The relay is on this machine, so it may have been suspended too.
    expect(link.isLate(Date.now()), first).toBe(true);
    vi.advanceTimersByTime(RELAY_WAKES_MS);
    expect(link.isLate(Date.now()), first).toBe(false);
    vi.useRealTimers();
  }
});
