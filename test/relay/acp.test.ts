// Coding agents' sockets in a real room: who is let in, what passes, and what never reaches them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLAG_CONTINUED, FrameType, FLAG_MORE } from "../../protocol/frame-types.ts";
import {
  MAX_AGENT_MESSAGE,
  MAX_AGENT_SOCKETS_PER_GRANT,
  MAX_FRAME_PAYLOAD,
  MAX_MESSAGE_TO_AGENT,
  MiB,
} from "../../protocol/limits.ts";
import { PeerJoined, cutIntoPieces, PieceCollector } from "../../protocol/link.ts";
import { newToken, newWorkspace } from "../support/credentials.ts";
import { messageBody } from "../support/frames.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

function room(): Promise<TestBridge> {
  return TestBridge.up(relay, newWorkspace());
}

/** By the header, as programs do. */
function dial(bridge: TestBridge, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  return relay.dial(`/w/${bridge.workspace}/acp`, [], headers);
}

async function agent(bridge: TestBridge, token: string) {
  const socket = dial(bridge, token);
  const { stream: number, ...joined } = await bridge.nextRead("peerJoined", PeerJoined);
  await socket.opened;
  return { socket, number, joined };
}

function sendTo(bridge: TestBridge, number: number, message: Uint8Array): void {
  for (const { flags, payload } of cutIntoPieces(message)) {
    bridge.send("peerSend", number, payload, flags);
  }
}

async function nextMessage(bridge: TestBridge, number: number): Promise<string> {
  const pieces = new PieceCollector(2 * MAX_AGENT_MESSAGE);
  for (;;) {
    const frame = await bridge.next("peerMessage", number);
    const gathered = pieces.take(frame.flags, messageBody(frame));
    if (gathered.is === "whole") return Buffer.from(gathered.bytes).toString();
    expect(gathered.is).toBe("more");
  }
}

describe.concurrent("AC50", () => {
  test("AC50 AC119 an agent's token opens it, by header or subprotocol; the bridge is told which door", async () => {
    const bridge = await room();
    const { token, record } = await bridge.grant("agent");
    const first = await agent(bridge, token);
    expect(first.joined).toMatchObject({ grant: record.id, door: "acp", raw: false });
    const second = relay.dial(`/w/${bridge.workspace}/acp`, [
      "pairpty.v1.raw",
      "pairpty.v1",
      token,
    ]);
    const joined = await bridge.nextRead("peerJoined", PeerJoined);
    expect(joined).toMatchObject({ door: "acp", raw: false });
    await expect(second.opened).resolves.toBe("pairpty.v1");
  });

  test("AC119 a person's token is closed 4403, a bad one 4401, one without an upgrade gets 426", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("edit");
    expect(await dial(bridge, token).close()).toMatchObject({ code: 4403 });
    expect(await dial(bridge, newToken("agent").token).close()).toMatchObject({ code: 4401 });
    expect(await dial(bridge, "x").close()).toMatchObject({ code: 4401 });
    const answer = await fetch(`http://${relay.host}/w/${bridge.workspace}/acp`);
    expect(answer.status).toBe(426);
    await bridge.settle();
    expect(bridge.frames.items.map(({ type }) => type)).not.toContain(FrameType.peerJoined);
  });

  test("AC120 the ninth socket of one token is closed 4429; another token's agent gets in", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    for (let n = 0; n < MAX_AGENT_SOCKETS_PER_GRANT; n++) await agent(bridge, token);
    expect(await dial(bridge, token).close()).toMatchObject({ code: 4429 });
    await agent(bridge, (await bridge.grant("agent")).token);
  });

  test("AC121 AC56 revoking the token closes it 4401, and so does a bridge that does not know this door", async () => {
    const bridge = await room();
    const { token, record } = await bridge.grant("agent");
    const { socket } = await agent(bridge, token);
    await bridge.grants({ replace: false, add: [], remove: [record.id] });
    expect(await socket.close()).toMatchObject({ code: 4401 });
    const older = await bridge.grant("agent");
    const other = await agent(bridge, older.token);
    const { id, hash, expiresAt } = older.record;
    const registered = { id, hash, expiresAt, role: "agent", doors: ["http"], speaks: false };
    await bridge.grants({ replace: false, add: [registered], remove: [] });
    expect(await other.socket.close()).toMatchObject({ code: 4401 });
    expect(await dial(bridge, older.token).close()).toMatchObject({ code: 4403 });
  });

  test("AC56 a bridge of before that tells roles alone gets no agents' sockets", async () => {
    const bridge = await room();
    const { token, record } = newToken("agent");
    const { id, hash, expiresAt } = record;
    await bridge.grants({
      replace: false,
      add: [{ id, hash, expiresAt, role: "agent" }],
      remove: [],
    });
    expect(await dial(bridge, token).close()).toMatchObject({ code: 4403 });
  });
});

describe.concurrent("messages", () => {
  test("AC51 AC122 messages of 1 MiB in and 8 MiB out pass whole, in pieces on the link", async () => {
    const bridge = await room();
    const { socket, number } = await agent(bridge, (await bridge.grant("agent")).token);
    const most = `{"x":"${"é".repeat((MAX_AGENT_MESSAGE - 8) / 2)}"}`;
    expect(Buffer.byteLength(most)).toBe(MAX_AGENT_MESSAGE);
    socket.raw.send(most);
    socket.raw.send("{}");
    expect(await nextMessage(bridge, number)).toBe(most);
    expect(await nextMessage(bridge, number)).toBe("{}");
    const out = "ü".repeat(MAX_MESSAGE_TO_AGENT / 2);
    sendTo(bridge, number, Buffer.from(out));
    sendTo(bridge, number, Buffer.from("[]"));
    expect(await socket.text((text) => text.length > 10)).toBe(out);
    await socket.text((text) => text === "[]");
  });

  test("AC51 a longer message costs its sender the socket with 1009; bytes cost it 4400", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    const first = await agent(bridge, token);
    first.socket.raw.send("x".repeat(MAX_AGENT_MESSAGE + 1));
    expect(await first.socket.close()).toMatchObject({ code: 1009 });
    const second = await agent(bridge, token);
    second.socket.raw.send(Buffer.from("{}"));
    expect(await second.socket.close()).toMatchObject({ code: 4400 });
  });

  test("AC123 pieces that do not fit together, or are too many, end that agent, never the link", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    const first = await agent(bridge, token);
    bridge.send("peerSend", first.number, Buffer.from("tail"), FLAG_CONTINUED);
    expect(await first.socket.close()).toMatchObject({ code: 1011 });
    const second = await agent(bridge, token);
    const piece = new Uint8Array(MAX_FRAME_PAYLOAD);
    const count = MAX_MESSAGE_TO_AGENT / MAX_FRAME_PAYLOAD + 1;
    for (let n = 0; n < count; n++) {
      bridge.send(
        "peerSend",
        second.number,
        piece,
        n === 0 ? FLAG_MORE : FLAG_MORE | FLAG_CONTINUED,
      );
    }
    expect(await second.socket.close()).toMatchObject({ code: 1011 });
    await bridge.settle();
  });

  test("AC52 nothing that the room says by itself reaches an agent, nor what is for everyone", async () => {
    const bridge = await room();
    const { socket, number } = await agent(bridge, (await bridge.grant("agent")).token);
    const person = await bridge.peer((await bridge.grant("edit")).token);
    bridge.send("peerSend", 0, Buffer.from(`{"type":"news"}`));
    await person.socket.text((text) => text.includes("news"));
    // Enough for a person to be asked whether it reads.
    for (let n = 0; n < 6; n++) sendTo(bridge, number, Buffer.alloc(MiB, `${n}`));
    sendTo(bridge, number, Buffer.from("{}"));
    await socket.text((text) => text === "{}");
    expect(socket.texts.map((text) => text.slice(0, 1))).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(person.socket.texts.some((text) => text.includes(`"type":"bridge"`))).toBe(true);
  });

  test("AC124 the room closes an agent that was sent 16 MiB and says nothing; others are served", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    const [deaf, other] = [await agent(bridge, token), await agent(bridge, token)];
    deaf.socket.raw.pause();
    for (let n = 0; n < 17; n++) sendTo(bridge, deaf.number, Buffer.alloc(MiB, "x"));
    await bridge.next("peerLeft", deaf.number);
    sendTo(bridge, other.number, Buffer.from("{}"));
    await other.socket.text((text) => text === "{}");
    deaf.socket.end();
  });

  test("AC55 long messages count for more: 40 of 1 MiB at once pass, 80 end the socket with 1008", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    const { socket, number } = await agent(bridge, token);
    const person = await bridge.peer((await bridge.grant("edit")).token);
    const long = "x".repeat(MAX_AGENT_MESSAGE);
    for (let n = 0; n < 80; n++) socket.raw.send(long);
    expect(await socket.close()).toMatchObject({ code: 1008 });
    await bridge.settle();
    const ofAgent = bridge.frames.items.filter(({ stream }) => stream === number);
    expect(ofAgent.filter(({ flags }) => flags === FLAG_CONTINUED).length).toBeGreaterThanOrEqual(
      40,
    );
    await bridge.reach(person);
  });
});

test("AC53 an agent is closed 1013 when the link is lost or replaced, and not let in while there is none", async () => {
  const bridge = await room();
  const { token } = await bridge.grant("agent");
  const person = await bridge.peer((await bridge.grant("edit")).token);
  const first = await agent(bridge, token);
  const { identity, instance, workspace } = bridge;
  const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  expect(await first.socket.close()).toMatchObject({ code: 1013 });
  const registered = next.frames.items.filter(({ type }) => type === FrameType.peerJoined);
  expect(registered.map(({ stream }) => stream)).toEqual([person.number]);
  await next.next("peerJoined", person.number);
  const second = await agent(next, token);
  next.end();
  expect(await second.socket.close()).toMatchObject({ code: 1013 });
  await person.socket.bridge("away");
  expect(await dial(next, token).close()).toMatchObject({ code: 1013 });
  expect(person.socket.raw.readyState).toBe(person.socket.raw.OPEN);
});
