// What somebody without a token or key may cost a relay: at both doors, before anybody is known.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_HELLO_BYTES } from "../../protocol/limits.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

/** A bridge that was challenged and has said nothing. */
async function challenged(): Promise<TestBridge> {
  const bridge = new TestBridge(relay, newWorkspace(), { hello: false });
  await bridge.next("challenge");
  return bridge;
}

describe.concurrent("before a hello is accepted", () => {
  test("R38 a message is one frame of 4 KiB at most: text and two frames are 4400, more is 1009", async () => {
    const nudge = encodeFrame(FrameType.nudge, 0);
    const cases: [string, (bridge: TestBridge) => string | Uint8Array, number][] = [
      ["text", (bridge) => JSON.stringify(bridge.hello()), 4400],
      ["a hello and more", (bridge) => Buffer.concat([helloFrame(bridge), nudge]), 4400],
      ["a hello cut short", (bridge) => helloFrame(bridge).subarray(0, -1), 4400],
      ["a long text", () => "x".repeat(MAX_HELLO_BYTES + 1), 1009],
      ["many frames", () => new Uint8Array(MAX_HELLO_BYTES + 12), 1009],
    ];
    for (const [what, message, code] of cases) {
      const bridge = await challenged();
      bridge.socket.raw.send(message(bridge));
      expect([what, (await bridge.socket.close()).code]).toEqual([what, code]);
    }
  });
});

function helloFrame(bridge: TestBridge): Buffer {
  const payload = Buffer.from(JSON.stringify(bridge.hello()));
  return Buffer.from(encodeFrame(FrameType.hello, 0, payload));
}
