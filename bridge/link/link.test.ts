// The link against a relay that says only what a test wants.

import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { KNOCK_HEADER, KNOCK_PATTERN } from "../../protocol/link.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import { createLog } from "../log.ts";
import { parseRelayAddress } from "./address.ts";
import { Link } from "./link.ts";
import { STRAIGHT } from "./route.ts";

const CREDENTIALS = { workspace: "room", publicKey: "0".repeat(64), sign: () => "0".repeat(128) };

test("L1 a link that is open and greeted is not up, and sends nothing; accepted it is", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const told = new EventEmitter();
  const link = new Link(
    parseRelayAddress(`http://127.0.0.1:${port}`, false),
    STRAIGHT,
    CREDENTIALS,
    "0".repeat(32),
    {
      up: () => void told.emit("up"),
      frame: () => {},
      down: () => {},
      refused: () => {},
      failed: () => {},
      underWay: () => false,
    },
    createLog("silent", () => {}),
  );
  link.start();
  const [socket, request] = (await once(server, "connection")) as [WebSocket, IncomingMessage];
  // By it a room knows its own bridge again, whoever else stands at its door [R40].
  expect(request.headers[KNOCK_HEADER]).toMatch(KNOCK_PATTERN);
  const challenge = { version: LINK_VERSION, nonce: "0".repeat(64) };
  socket.send(encodeFrame(FrameType.challenge, 0, toPayload(challenge)));
  const [hello] = (await once(socket, "message")) as [Buffer];
  expect(decodeFrames(hello).frames[0]?.type).toBe(FrameType.hello);
  expect([link.isUp, link.condition.up]).toEqual([false, false]);
  link.send(FrameType.nudge, 1);

  const up = once(told, "up");
  const accepted = { version: LINK_VERSION, now: Date.now() };
  socket.send(encodeFrame(FrameType.accepted, 0, toPayload(accepted)));
  await up;
  expect([link.isUp, link.condition.up]).toEqual([true, true]);
  link.send(FrameType.nudge, 2);
  const [first] = (await once(socket, "message")) as [Buffer];
  expect(decodeFrames(first).frames.map(({ stream }) => stream)).toEqual([2]);
  link.stop();
  server.close();
});
