// What somebody without a token or key may cost a relay: at both doors, before anybody is known.

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_HELLO_BYTES } from "../../protocol/limits.ts";
import { newWorkspace } from "../support/credentials.ts";
import { giantMessage, createRandom, strangeMessage } from "../support/fuzz.ts";
import { TestRelay } from "../support/relay.ts";
import { strangeToken, Stranger, wireFrame } from "../support/stranger.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { until, within } from "../support/waiting.ts";

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

  test("R95 a request whose short body does not come is answered after 15 s, and its connection closed", async () => {
    const stall = async (host: string, token?: string) => {
      const socket = connect(relay.port, "127.0.0.1");
      const head = [`POST /w/${newWorkspace()}/x HTTP/1.1`, `Host: ${host}`, "Content-Length: 100"];
      if (token !== undefined) head.push(`Authorization: Bearer ${token}`);
      socket.write(`${head.join("\r\n")}\r\n\r\npart of it`);
      let answer = "";
      socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
      await within(once(socket, "close"), "the connection stayed open");
      return answer;
    };
    const answers = await Promise.all([
      stall(relay.host),
      stall("elsewhere.example"),
      stall(relay.host, strangeToken()),
    ]);
    const statuses = answers.map((answer) => answer.split(" ", 2)[1]);
    expect(statuses).toEqual(["401", "403", "400"]);
    expect(answers[2]).toContain("did not arrive within 15 s");
  });

  test("R83 many who say nothing do not keep a first bridge out", async () => {
    const workspace = newWorkspace();
    const crowd = Array.from(
      { length: 6 },
      () => new Stranger(relay.port, `/w/${workspace}/bridge`),
    );
    await Promise.all(crowd.map(({ status }) => status));
    const owner = new TestBridge(relay, workspace);
    await owner.next("caughtUp");
    await owner.settle();
    // Whoever came first made way for the fourth and those behind.
    await until("three made way", () => crowd.filter(({ isOver }) => isOver).length >= 3);
    for (const stranger of crowd) stranger.leave();
  });
});

describe.concurrent("a socket that was turned away", () => {
  const word = wireFrame(Buffer.from("anything"));

  async function isCut(stranger: Stranger): Promise<void> {
    expect(await stranger.status).toBe(101);
    await within(stranger.ended, "it was not cut off");
  }

  test("R39 at the bridge's door is cut off, though it answers no close", async () => {
    const stranger = new Stranger(relay.port, `/w/${newWorkspace()}/bridge`);
    await stranger.status;
    await stranger.send(word);
    await isCut(stranger);
  });

  test("R39 at the people's door is cut off, with a token or none", async () => {
    const path = `/parties/workspace/${newWorkspace()}`;
    const strangers = [[], [strangeToken()]].map(
      (token) => new Stranger(relay.port, path, { protocols: ["pairpty.v1", ...token] }),
    );
    await Promise.all(strangers.map(isCut));
  });

  test.each([
    ["the bridge's", (id: string) => `/w/${id}/bridge`],
    ["the people's", (id: string) => `/parties/workspace/${id}`],
  ])("R80 at %s door is cut off at once if it goes on", async (_door, path) => {
    const stranger = new Stranger(relay.port, path(newWorkspace()));
    await stranger.status;
    const giant = wireFrame(new Uint8Array(1 << 20));
    const going = async () => {
      while (!stranger.isOver) await stranger.send(giant);
    };
    await within(going(), "it was listened to for ever");
    await isCut(stranger);
  });
});

// What strangers may do is counted per relay: these have one of their own, and whom it is to know
// comes before the crowd.
describe.concurrent("a crowd of strangers", () => {
  const KNOCK = "5e".repeat(32);
  let crowded: TestRelay;
  let first: TestBridge;
  let serving: TestBridge;
  beforeAll(async () => {
    crowded = await TestRelay.start();
    first = await TestBridge.up(crowded, newWorkspace(), { knock: KNOCK });
    serving = await TestBridge.up(crowded, newWorkspace());
  });
  afterAll(() => crowded.stop());

  /** As many as this at once at a bridge's door; the statuses of their answers. */
  async function knocking(workspace: string, count: number): Promise<Stranger[]> {
    const strangers = Array.from(
      { length: count },
      () => new Stranger(crowded.port, `/w/${workspace}/bridge`),
    );
    await Promise.all(strangers.map(({ status }) => status));
    return strangers;
  }

  test("R84 R85 gets 429 beyond a limit; the room's own bridge comes in by its knock", async () => {
    const { workspace, identity, instance } = first;
    let epoch = 2;
    for (let round = 0; round < 2; round++) {
      const crowd = await knocking(workspace, 50);
      const owner = new TestBridge(crowded, workspace, {
        identity,
        instance,
        knock: KNOCK,
        epoch: epoch++,
      });
      await owner.next("caughtUp");
      for (const { status } of crowd) expect([101, 429]).toContain(await status);
      for (const stranger of crowd) stranger.leave();
    }
  });

  test("R40 those that talk are no more than those that do not", async () => {
    const began = performance.now();
    const word = wireFrame(Buffer.alloc(200));
    const talks = Array.from({ length: 120 }, async () => {
      const path = `/parties/workspace/${newWorkspace()}`;
      const stranger = new Stranger(crowded.port, path, { protocols: ["pairpty.v1"] });
      const status = await stranger.status;
      for (let n = 0; n < 5; n++) await stranger.send(word);
      stranger.leave();
      return status;
    });
    const opened = (await Promise.all(talks)).filter((status) => status === 101).length;
    const seconds = (performance.now() - began) / 1000;
    expect(opened).toBeLessThanOrEqual(64 + 10 * Math.ceil(seconds));
  });

  test("R81 R85 asks rooms about no more than it can afford; whoever was let in is not held up", async () => {
    serving.serve(() => ({ status: 200, body: "served" }));
    const { token } = await serving.grant("edit");
    const path = `/w/${serving.workspace}/mcp`;
    expect((await crowded.ask(path, { token })).status).toBe(200);
    const strange = async () => (await crowded.ask(path, { token: strangeToken() })).status;
    for (let round = 0; round < 30; round++) {
      const statuses = await Promise.all(Array.from({ length: 20 }, strange));
      for (const status of statuses) expect([401, 429]).toContain(status);
    }
    expect((await crowded.ask(path, { token })).status).toBe(200);
  });
});

test.concurrent("R42 whatever strangers say at both doors, the room lives on and its people are served", async () => {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { workspace } = bridge;
  const { token } = await bridge.grant("edit");
  const peer = await bridge.peer(token);
  bridge.send("channelOpen", 1, { key: "echo", text: true });
  bridge.send("join", 1, { peer: peer.number, attach: 1, offset: 0 });
  const random = createRandom(4711);
  const doors = [
    [`/w/${workspace}/bridge`, []],
    [`/w/${newWorkspace()}/bridge`, []],
    [`/parties/workspace/${workspace}`, ["pairpty.v1", strangeToken()]],
    [`/parties/workspace/${workspace}`, ["pairpty.v1"]],
  ] as const;
  let offset = 0;
  for (let round = 0; round < 6; round++) {
    const talks = doors.map(async ([path, protocols]) => {
      const stranger = new Stranger(relay.port, path, { protocols });
      await stranger.status;
      for (let n = 0; n < 50 && !stranger.isOver; n++) await stranger.send(strangeMessage(random));
      if (round === 0) await stranger.send(giantMessage(4 << 20));
      stranger.leave();
    });
    // Meanwhile: a word up, and its echo down.
    const word = `word ${round}`;
    peer.socket.raw.send(word);
    await bridge.next("peerMessage", peer.number);
    bridge.output(1, offset, word);
    offset += word.length;
    await peer.socket.text((text) => text === word);
    await Promise.all(talks);
  }
  expect((await relay.ask(`/w/${workspace}/health`)).status).toBe(200);
  await bridge.settle();
});

function helloFrame(bridge: TestBridge): Buffer {
  const payload = Buffer.from(JSON.stringify(bridge.hello()));
  return Buffer.from(encodeFrame(FrameType.hello, 0, payload));
}
