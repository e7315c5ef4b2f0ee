// Owns a process that is a bridge of nothing but output: it has the product's own room send messages
// of one size to everybody, as fast as the link's window lets it. What the room costs, and no more.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../bridge/workerd/free-port.ts";
import { recordProcess } from "../bridge/processes/process-record.ts";
import { findWorkerd } from "../bridge/workerd/binary.ts";
import { startWorkerd } from "../bridge/workerd/workerd-process.ts";
import { DRIVER_WINDOW, UPLINK_WINDOW } from "../protocol/limits.ts";
import { decodeOffset, encodeOutputFrame, decodeAcks } from "../protocol/output.ts";
import type { Frame } from "../protocol/frame.ts";
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

/** What its viewers take it for. */
export const SOURCE_ID = "fan-out";

const CHANNEL = 1;
const WORKER = join(import.meta.dirname, "..", "relay", "worker.js");
const WEB = join(import.meta.dirname, "..", "web");

export async function runRoomSource(folder: string): Promise<void> {
  const port = await findFreePort();
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
  const source = createSource(bridge);
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

/** Paces as a bridge does: by the link's marks, and by what the first viewer has rendered. */
function createSource(bridge: TestBridge) {
  let offset = 0;
  let received = 0;
  let rendered = 0;
  let driver = 0;
  let attach = 0;
  let proceed = () => {};
  const admit = (peer: number) => bridge.send("join", CHANNEL, { peer, attach: ++attach, offset });
  const take = ({ type, stream, payload }: Frame) => {
    if (type === FrameType.received) received = decodeOffset(payload) ?? received;
    if (type === FrameType.acks && stream === driver) {
      for (const ack of decodeAcks(payload) ?? []) rendered = Math.max(rendered, ack.offset);
    }
    if (type === FrameType.drained) admit(JSON.parse(Buffer.from(payload).toString()).peer);
    proceed();
  };
  bridge.socket.raw.on("message", (message: Buffer, binary) => {
    if (binary) decodeFrames(message).frames.forEach(take);
  });
  const mayGoOn = () => offset - received < UPLINK_WINDOW && offset - rendered < DRIVER_WINDOW;
  return {
    gather: async (viewers: number) => {
      bridge.send("channelOpen", CHANNEL, { key: "bench", text: false });
      for (let i = 0; i < viewers; i++) {
        const { stream: peer } = await bridge.next("peerJoined");
        const attached = { type: "pty:attached", id: SOURCE_ID, channel: CHANNEL, next: offset };
        bridge.send("peerSend", peer, attached);
        admit(peer);
        if (i === 0) driver = peer;
      }
      bridge.send("watch", CHANNEL, { peer: driver, on: true });
      await bridge.settle();
    },
    burst: async (messages: number, bytes: number) => {
      const body = Buffer.alloc(bytes, "x");
      received = offset;
      rendered = offset;
      for (let i = 0; i < messages; i++) {
        while (!mayGoOn()) {
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
