// HTTP through the link: bodies, limits, and every way in which an answer does not come.

import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { StreamCancel, StreamOpen } from "../../protocol/http.ts";
import { MAX_HTTP_BODY, MAX_REQUESTS_PER_GRANT } from "../../protocol/limits.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

async function room(): Promise<{ bridge: TestBridge; token: string; path: string }> {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { token } = await bridge.grant("edit");
  return { bridge, token, path: `/w/${bridge.workspace}/pty/spawn` };
}

describe.concurrent("answers", () => {
  test("R15 bodies up to 4 MiB go both ways unharmed", async () => {
    const { bridge, token, path } = await room();
    bridge.serve((_path, body) => ({ status: 201, body }));
    const body = Buffer.alloc(MAX_HTTP_BODY, "0123456789abcdef\n");
    const answer = await relay.ask(path, { method: "POST", token, body });
    expect(answer.status).toBe(201);
    expect(answer.text === body.toString()).toBe(true);
  });

  test("R15 the status, headers and an empty body arrive as the bridge gave them", async () => {
    const { bridge, token } = await room();
    bridge.serve(() => ({ status: 204, headers: [["x-own", "yes"]] }));
    const path = `/w/${bridge.workspace}/pty/pty-1`;
    const answer = await relay.ask(path, { method: "DELETE", token });
    expect(answer).toMatchObject({ status: 204, text: "" });
    expect(answer.headers["x-own"]).toBe("yes");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  test("R15 a request over 4 MiB is 413, with its length told or not", async () => {
    const { bridge, token, path } = await room();
    const body = Buffer.alloc(MAX_HTTP_BODY + 1);
    const response = await relay.ask(path, { method: "POST", token, body });
    expect(response.status).toBe(413);
    await bridge.settle();
    expect(bridge.frames.items.map(({ type }) => type)).not.toContain(FrameType.streamOpen);
    const headers = { "transfer-encoding": "chunked" };
    const chunked = await relay.ask(path, { method: "POST", token, body, headers });
    expect(chunked.status).toBe(413);
    expect(JSON.parse(chunked.text)).toMatchObject({ code: "too_large" });
    const { stream } = await bridge.next("streamOpen");
    await bridge.next("streamCancel", stream);
  });

  test("R56 an answer may be longer than any request", async () => {
    const { bridge, token, path } = await room();
    const body = Buffer.alloc(3 * MAX_HTTP_BODY + 1, "0123456789abcdef\n");
    bridge.serve(() => ({ body }));
    const answer = await relay.ask(path, { token });
    expect(answer.status).toBe(200);
    expect(answer.text === body.toString()).toBe(true);
  });

  test("R58 what is no answer is 502, and the link lives on", async () => {
    const { bridge, token, path } = await room();
    const badHeads = [
      { status: 99, headers: [] },
      { status: 200 },
      { status: 200, headers: [["a b", "c"]] },
    ];
    for (const head of badHeads) {
      const answer = relay.ask(path, { token });
      const { stream } = await bridge.next("streamEnd");
      bridge.send("streamHead", stream, head);
      bridge.send("streamEnd", stream);
      expect((await answer).status).toBe(502);
    }
    for (const type of ["streamData", "streamEnd"] as const) {
      const answer = relay.ask(path, { token });
      const { stream } = await bridge.next("streamEnd");
      bridge.send(type, stream, Buffer.from("no head"));
      expect((await answer).status).toBe(502);
    }
    const given = relay.ask(path, { token });
    const { stream } = await bridge.next("streamEnd");
    bridge.send("streamCancel", stream, { reason: "no time" });
    expect(await given).toMatchObject({ status: 502 });
    expect((await given).text).toContain("no time");
    await bridge.settle();
  });
});

describe.concurrent("ends", () => {
  test("R14 a bridge that is lost before it answers is 503", async () => {
    const { bridge, token, path } = await room();
    const answer = relay.ask(path, { token });
    await bridge.next("streamOpen");
    bridge.end();
    expect((await answer).status).toBe(503);
    expect(JSON.parse((await answer).text)).toMatchObject({ code: "bridge_away" });
  });

  test("R14 a link that is replaced takes its unanswered requests along", async () => {
    const { bridge, token, path } = await room();
    const answer = relay.ask(path, { token });
    await bridge.next("streamOpen");
    const { workspace, identity, instance } = bridge;
    const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
    expect((await answer).status).toBe(503);
    next.serve(() => ({ body: "mine" }));
    expect((await relay.ask(path, { token })).text).toBe("mine");
  });

  test("R14 a client that leaves inside its body is told to the bridge", async () => {
    const { bridge, token, path } = await room();
    const headers = { authorization: `Bearer ${token}`, "content-length": "100000" };
    const leaving = request({ host: "127.0.0.1", port: relay.port, path, method: "POST", headers });
    leaving.on("error", () => undefined);
    leaving.write("half");
    const open = await bridge.nextRead("streamOpen", StreamOpen);
    await bridge.next("streamData", open.stream);
    leaving.destroy();
    const cancel = await bridge.nextRead("streamCancel", StreamCancel, open.stream);
    expect(cancel.reason).not.toBe("timeout");
  });
});

describe.concurrent("limits", () => {
  test("R53 the 33rd request of one grant is 429; another grant is not disturbed", async () => {
    const { bridge, token, path } = await room();
    const other = await bridge.grant("view");
    const busy = Array.from({ length: MAX_REQUESTS_PER_GRANT }, () => relay.ask(path, { token }));
    const streams: number[] = [];
    for (const _ of busy) streams.push((await bridge.next("streamEnd")).stream);
    const refused = await relay.ask(path, { token });
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({ code: "too_many" });
    const undisturbed = relay.ask(path, { token: other.token });
    streams.push((await bridge.next("streamEnd")).stream);
    for (const stream of streams) {
      bridge.send("streamHead", stream, { status: 200, headers: [] });
      bridge.send("streamEnd", stream);
    }
    expect((await undisturbed).status).toBe(200);
    for (const answer of await Promise.all(busy)) expect(answer.status).toBe(200);
    const again = relay.ask(path, { token });
    const { stream } = await bridge.next("streamEnd");
    bridge.send("streamHead", stream, { status: 200, headers: [] });
    bridge.send("streamEnd", stream);
    expect((await again).status).toBe(200);
  });

  test("R13 heads that are too long for a frame are 400", async () => {
    const { bridge, token } = await room();
    const long = await relay.ask(`/w/${bridge.workspace}/${"x".repeat(2100)}`, { token });
    expect(long.status).toBe(400);
    const headers = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`x-header-${index}`, "y"]),
    );
    expect((await relay.ask(`/w/${bridge.workspace}/x`, { token, headers })).status).toBe(400);
    await bridge.settle();
    expect(bridge.frames.items.map(({ type }) => type)).not.toContain(FrameType.streamOpen);
  });
});

test("R9 a request without a good token is 401 with WWW-Authenticate", async () => {
  const { bridge, token, path } = await room();
  for (const bad of [undefined, "nonsense", `${token.slice(0, -1)}~`]) {
    const answer = await relay.ask(path, bad === undefined ? {} : { token: bad });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  }
  await bridge.settle();
  expect(bridge.frames.items.map(({ type }) => type)).not.toContain(FrameType.streamOpen);
});

test("R15 a refused request leaves its connection usable, as HTTP has it", async () => {
  const { path } = await room();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (headers: Record<string, string>) =>
    new Promise<{ status: number; reused: boolean }>((resolve, reject) => {
      const asked = request(
        { host: "127.0.0.1", port: relay.port, path, method: "POST", agent, headers },
        (answer) => {
          answer.resume();
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, reused: asked.reusedSocket }),
          );
        },
      );
      asked.on("error", reject);
      asked.end("x".repeat(2_000));
    });
  const length = { "content-length": "2000" };
  const answers = [];
  for (let i = 0; i < 10; i++) {
    answers.push(await post(i % 2 === 0 ? length : { ...length, origin: "https://evil.example" }));
  }
  agent.destroy();
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 401 : 403)),
  );
  expect(answers.slice(1).every(({ reused }) => reused)).toBe(true);
});
