// Sealed requests of a page against the bridge's HTTP door, with frames instead of a relay.

import { expect, test } from "vitest";
import type { Frame } from "../../../protocol/frame.ts";
import { decodeFrames } from "../../../protocol/frame.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { toPayload } from "../../../protocol/json.ts";
import { DEVICE_HEADER } from "../../../protocol/names.ts";
import { concatBytes } from "../../../protocol/sealed/bytes.ts";
import { toBytes } from "../../../protocol/text.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { GRANT, sealedPair } from "../../../test/support/sealed-pair.ts";
import { sealRequest, toOuterPath } from "../../../web/sealed/sealed-requests.ts";
import type { SealedRequest } from "../../../web/sealed/sealed-requests.ts";
import type { Caller } from "../../callers/caller.ts";
import { PASSED, WAITING } from "../../callers/gate.ts";
import { Hub } from "../../callers/hub.ts";
import { createLog } from "../../log.ts";
import { AdmissionRules } from "../../people/admission-rules.ts";
import { SealedCaller } from "../../sealed/sealed-caller.ts";
import { SealedSessions } from "../../sealed/sealed-sessions.ts";
import { HttpTunnel } from "./http-tunnel.ts";

type Serve = (caller: Caller, request: Request) => Promise<Response>;

const DEVICE = "d".repeat(22);

/** A person with an open session, and a bridge that serves `/x`. */
async function world(serve: Serve, { isWaiting = false } = {}) {
  const pair = await sealedPair();
  const live = createGrant(GRANT, { role: "edit", psk: pair.psk, knock: true });
  const grants = { lookUp: () => live, onEvent: () => () => {} };
  const log = createLog("silent", () => undefined);
  const hub = new Hub(grants, log);
  const verdict = { getVerdict: () => ({}), isAdmitted: () => false, hasRestrictions: () => false };
  const rules = new AdmissionRules(verdict, false);
  hub.addGate({
    name: "test",
    check: ({ door }) => (door.name === "people" && isWaiting ? WAITING : PASSED),
    requestDenial: (caller, request) => rules.requestDenial(caller, request),
  });
  hub.registerRoute({ path: "/x", requires: "nothing", serve });
  const sessions = new SealedSessions();
  const person = new SealedCaller({ ...callerWith(live, "people"), sendBytes: () => {} }, sessions);
  hub.open(person);
  person.begin(pair.host, { v: 1, device: DEVICE });
  const frames: Frame[] = [];
  let onFrames = (): void => undefined;
  const tunnel = new HttpTunnel({
    link: {
      send: () => expect.unreachable("frames of the tunnel leave in turns"),
      sendBytes: (bytes) => {
        frames.push(...decodeFrames(bytes).frames);
        onFrames();
      },
    },
    grants,
    hub,
    log,
    sessions,
  });
  const send = (type: keyof typeof FrameType, payload = new Uint8Array()) =>
    tunnel.onFrame({ type: FrameType[type], flags: 0, stream: 1, payload });
  const has = (type: keyof typeof FrameType) => frames.some((one) => one.type === FrameType[type]);
  const comes = async (type: keyof typeof FrameType) =>
    await new Promise<void>((resolve) => {
      onFrames = () => has(type) && resolve();
      onFrames();
    });
  /** Starts a request; returns how to wait for its answer, as the relay sees it. */
  const start = async (request: SealedRequest) => {
    const sealed = await sealRequest(pair.page.session, request);
    const path = toOuterPath(request);
    send("streamOpen", toPayload({ method: "POST", path, headers: [], grant: GRANT, at: 0 }));
    send("streamData", new Uint8Array(await sealed.body.arrayBuffer()));
    send("streamEnd");
    const outer = async (): Promise<Response> => {
      await comes("streamEnd");
      const payloads = (type: number) =>
        frames.filter((one) => one.type === type).map(({ payload }) => payload);
      const [head = expect.fail()] = payloads(FrameType.streamHead);
      const { status, headers } = JSON.parse(Buffer.from(head).toString());
      return new Response(concatBytes(...payloads(FrameType.streamData)), { status, headers });
    };
    return { ...sealed, outer };
  };
  return { pair, person, sessions, start, comes, has };
}

test("SE70 a request is served and answered sealed, with any method, and outside all answers look alike", async () => {
  for (const [method, body, status] of [
    ["GET", undefined, 200],
    ["DELETE", undefined, 204],
    ["POST", new Blob(["x".repeat(150_000)]), 201],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const { start } = await world(async (_caller, request) => {
      const length = (await request.text()).length;
      const content = status === 204 ? null : `${request.method} ${length}`;
      return new Response(content, { status, headers: { "x-answer": "planted" } });
    });
    // oxlint-disable-next-line no-await-in-loop
    const { open, outer } = await start({ method, path: "/x?y", body });
    // oxlint-disable-next-line no-await-in-loop
    const seen = await outer();
    expect([seen.status, seen.headers.get("x-answer")]).toEqual([200, null]);
    // oxlint-disable-next-line no-await-in-loop
    const answer = await open(seen);
    expect([answer.status, answer.headers.get("x-answer")]).toEqual([status, "planted"]);
    // oxlint-disable-next-line no-await-in-loop
    const text = await answer.text();
    expect(text).toBe(status === 204 ? "" : `${method} ${body?.size ?? 0}`);
  }
});

test("SE71 a request has the person's name and limit, and the device of the handshake", async () => {
  const seen: unknown[] = [];
  const { start, person } = await world(async (caller, request) => {
    seen.push(caller.status?.name, caller.grant()?.role, request.headers.get(DEVICE_HEADER));
    return new Response("ok");
  });
  person.status = { name: "Ada", limit: "view" };
  const { open, outer } = await start({ method: "GET", path: "/x" });
  expect((await open(await outer())).status).toBe(200);
  expect(seen).toEqual(["Ada", "view", DEVICE]);
});

test("SE71 a visitor who waits to be let in is served nothing", async () => {
  const { start } = await world(async () => expect.unreachable("served"), { isWaiting: true });
  const { outer } = await start({ method: "GET", path: "/x" });
  expect((await outer()).status).toBe(403);
});

test("SE71 a request ends with its session, before its answer and within it", async () => {
  let onAsked = (_caller: Caller): void => undefined;
  const asked = new Promise<Caller>((resolve) => {
    onAsked = resolve;
  });
  const early = await world(async (caller, { signal }) => {
    onAsked(caller);
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  });
  const { outer } = await early.start({ method: "GET", path: "/x" });
  const caller = await asked;
  expect(caller.grant()).toMatchObject({ role: "edit" });
  early.person.reset();
  expect(early.sessions.size).toBe(0);
  expect(caller.grant()).toBeUndefined();
  expect((await outer()).status).toBe(403);

  const late = await world(async () => {
    const endless = new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(9)) });
    return new Response(endless);
  });
  await late.start({ method: "GET", path: "/x" });
  await late.comes("streamData");
  late.person.reset();
  await late.comes("streamCancel");
  expect(late.has("streamEnd")).toBe(false);
});

test("SE72 SE73 a replayed request is refused in the clear, which the page takes for no answer", async () => {
  const { start, pair } = await world(async () => new Response("ok"));
  pair.host.acceptRequest(0);
  const { open, outer } = await start({ method: "GET", path: "/x" });
  const seen = await outer();
  expect(seen.status).toBe(403);
  await expect(open(seen)).rejects.toThrow("did not answer");
});

test("SE73 an answer that is cut or in the clear does not open", async () => {
  for (const [change, why] of [
    [() => toBytes("clear, whatever it claims to be"), "malformed"],
    // Without the last record, which is empty.
    [(bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, -20), "before its last record"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const { start } = await world(async () => new Response("ok"));
    // oxlint-disable-next-line no-await-in-loop
    const { open, outer } = await start({ method: "GET", path: "/x" });
    // oxlint-disable-next-line no-await-in-loop
    const bytes = new Uint8Array(await (await outer()).arrayBuffer());
    // oxlint-disable-next-line no-await-in-loop
    await expect(open(new Response(change(bytes)))).rejects.toThrow(why);
  }
});
