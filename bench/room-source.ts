// Owns a process that is a bridge of nothing but output: it has the product's own room send messages
// of one size to everybody, as fast as the link's window lets it. What the room costs, and no more.

import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { recordProcess } from "../bridge/processes.ts";
import { findWorkerd } from "../bridge/workerd/binary.ts";
import { startWorkerd } from "../bridge/workerd/run.ts";
import { UPLINK_WINDOW } from "../protocol/limits.ts";
import { decodeOffset, encodeOutputFrame } from "../protocol/output.ts";
import { decodeFrames } from "../protocol/frame.ts";
import { FrameType } from "../protocol/frame-types.ts";
import { newWorkspace } from "../test/support/credentials.ts";
import type { TestRelay } from "../test/support/relay.ts";
import { TestBridge } from "../test/support/test-bridge.ts";
import { TestSocket } from "../test/support/test-socket.ts";
import { PAGE } from "./rendition.ts";

export type SourceRequest =
  /** Everybody who has come in since gets what is sent from now on. */
  | { readonly do: "gather"; readonly viewers: number }
  | { readonly do: "burst"; readonly messages: number; readonly bytes: number };

export interface SourceAddress {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly workerd: number;
}

const CHANNEL = 1;
const WORKER = join(import.meta.dirname, "..", "relay", "worker.js");
const WEB = join(import.meta.dirname, "..", "web");

export async function runRoomSource(folder: string): Promise<void> {
  const port = await freePort();
  const data = join(folder, "rooms");
  mkdirSync(data, { recursive: true });
  const workerd = await startWorkerd({
    binary: findWorkerd(),
    worker: WORKER,
    plan: { host: "127.0.0.1", port, web: WEB, data, loopback: true, allowedOrigins: [] },
    temporary: folder,
    relayKey: undefined,
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  process.on("disconnect", () => void workerd.end(0).finally(() => process.exit(0)));
  const host = `127.0.0.1:${port}`;
  const relay = { host, dial: (path: string) => new TestSocket(`ws://${host}${path}`, [], {}) };
  const workspace = newWorkspace();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a bridge uses of one
  const bridge = await TestBridge.up(relay as unknown as TestRelay, workspace);
  const { token } = await bridge.grant("view");
  const source = sourceOf(bridge);
  process.on("message", (request: SourceRequest) => {
    const done =
      request.do === "gather"
        ? source.gather(request.viewers)
        : source.burst(request.messages, request.bytes);
    void done.then(() => process.send?.("done"));
  });
  const address: SourceAddress = {
    url: `ws://${host}/parties/workspace/${workspace}`,
    protocols: [PAGE.subprotocol, token],
    workerd: recordProcess(workerd.record.pid).pid,
  };
  process.send?.(address);
}

function sourceOf(bridge: TestBridge) {
  let offset = 0;
  let received = 0;
  let attach = 0;
  let proceed = () => {};
  bridge.socket.raw.on("message", (message: Buffer, binary) => {
    if (!binary) return;
    for (const { type, payload } of decodeFrames(message).frames) {
      if (type !== FrameType.received) continue;
      received = decodeOffset(payload) ?? received;
      proceed();
    }
  });
  return {
    gather: async (viewers: number) => {
      bridge.send("channelOpen", CHANNEL, { key: "bench", text: false });
      for (let i = 0; i < viewers; i++) {
        const { stream: peer } = await bridge.next("peerJoined");
        bridge.send("join", CHANNEL, { peer, attach: ++attach, offset });
      }
      await bridge.settle();
    },
    burst: async (messages: number, bytes: number) => {
      const body = Buffer.alloc(bytes, "x");
      received = offset;
      for (let i = 0; i < messages; i++) {
        if (offset - received >= UPLINK_WINDOW) {
          await new Promise<void>((resolve) => {
            proceed = resolve;
          });
        }
        bridge.socket.raw.send(encodeOutputFrame(CHANNEL, offset, bytes, body));
        offset += bytes;
      }
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
