// Files and recordings of a sealed room, over sealed HTTP through a real relay.

import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordingRow } from "../../protocol/http.ts";
import { SEALED_PATH, SEALED_UPLOAD_PATH } from "../../protocol/sealed/http-records.ts";
import { sealRequest } from "../../web/sealed/sealed-requests.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { SealedClient } from "../support/sealed-client.ts";
import { until } from "../support/waiting.ts";

let place: Place;
let product: Product;
beforeAll(async () => {
  place = new Place();
  product = await place.start("--e2e", "on");
});
afterAll(() => place[Symbol.asyncDispose]());

async function connect(link: "edit" | "view" = "edit"): Promise<SealedClient> {
  const { links, endpoints } = product.ready;
  return await SealedClient.connect({ link: links[link], peer: endpoints.peer });
}

/** A body over several records. */
const LARGE = new Uint8Array(200_000).map((_, at) => (at * 31) % 251);

/** A sealed request as bytes. */
async function seal(client: SealedClient, path: string, options: { body?: Blob } = {}) {
  const method = options.body === undefined ? "GET" : "POST";
  const sealed = await sealRequest(client.session, { method, path, ...options });
  return { ...sealed, bytes: new Uint8Array(await sealed.body.arrayBuffer()) };
}

test("SE70 a file is uploaded, and its name, path and limits come back sealed", async () => {
  using host = await connect();
  expect(await (await host.request("/files")).json()).toEqual({ mostBytes: expect.any(Number) });
  const body = new Blob([LARGE]);
  const path = `/files?name=planted.bin&size=${LARGE.length}`;
  const answer = await host.request(path, { method: "POST", body });
  expect(answer.status).toBe(201);
  const uploaded = await answer.json();
  expect(uploaded).toMatchObject({ name: "planted.bin", size: LARGE.length });
  expect(new Uint8Array(readFileSync(uploaded.path))).toEqual(LARGE);
});

test("SE70 recordings are listed, downloaded and removed", async () => {
  using host = await connect();
  const id = await host.spawn();
  host.attach(id);
  host.send({ type: "pty:record", id, on: true });
  await host.message(({ type }) => type === "pty:recording", "a recording");
  host.type(id, "echo recorded-$((40 + 2))\r");
  await host.shows(id, /recorded-42/);
  host.send({ type: "pty:record", id, on: false });
  let rows: RecordingRow[] = [];
  await until("the recording has ended", async () => {
    rows = await (await host.request("/recordings")).json();
    return rows.length === 1 && rows[0]?.running !== true;
  });
  const [row = expect.fail()] = rows;
  const cast = await host.request(`/recordings/${row.id}`);
  expect(cast.headers.get("content-type")).toBe("application/x-asciicast");
  expect(await cast.text()).toContain("recorded-42");
  const removed = await host.request(`/recordings/${row.id}`, { method: "DELETE" });
  expect(removed.status).toBe(204);
  expect(await (await host.request("/recordings")).json()).toEqual([]);
});

test("SE71 a request has the rights of its session's person", async () => {
  using viewer = await connect("view");
  const refused = await viewer.request("/recordings");
  expect(refused.status).toBe(403);
  const body = new Blob(["x"]);
  expect((await viewer.request("/files?name=x", { method: "POST", body })).status).toBe(403);
  expect((await viewer.request("/nothing")).status).toBe(404);
});

test("SE71 an upload under way ends when its page leaves, and none of it is saved", async () => {
  using host = await connect();
  const small = { method: "POST", body: new Blob(["x"]) };
  const { path } = await (await host.request("/files?name=small", small)).json();
  const before = readdirSync(dirname(path));
  const listNew = () => readdirSync(dirname(path)).filter((name) => !before.includes(name));
  const { bytes } = await seal(host, "/files?name=stalled", { body: new Blob([LARGE]) });
  const stalls = new ReadableStream({ start: (body) => body.enqueue(bytes.slice(0, 150_000)) });
  const answer = host.post(SEALED_UPLOAD_PATH, stalls);
  await until("the upload has begun", () => listNew().length === 1);
  host.close();
  expect((await answer).status).toBe(403);
  await until("nothing is left of it", () => listNew().length === 0);
});

describe("SE72 refused with 403 and the same sentence", () => {
  async function expectRefused(answer: Response): Promise<void> {
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({
      code: "forbidden",
      error: "This encrypted request does not belong to an open connection: try again",
    });
  }

  test("SE72 a replayed request", async () => {
    using host = await connect();
    const { bytes, open } = await seal(host, "/recordings");
    expect((await open(await host.post(SEALED_PATH, bytes))).status).toBe(200);
    await expectRefused(await host.post(SEALED_PATH, bytes));
  });

  test("SE72 another number, another session, another link", async () => {
    using host = await connect();
    using other = await connect();
    using viewer = await connect("view");
    const { bytes } = await seal(host, "/recordings");
    const renumbered = bytes.slice();
    renumbered[23] = 77;
    await expectRefused(await host.post(SEALED_PATH, renumbered));
    const { bytes: others } = await seal(other, "/recordings");
    const mixed = bytes.slice();
    mixed.set(others.subarray(0, 16));
    await expectRefused(await host.post(SEALED_PATH, mixed));
    await expectRefused(await viewer.post(SEALED_PATH, bytes));
    await expectRefused(await host.post(SEALED_PATH, new Uint8Array(100)));
    await expectRefused(await host.post(SEALED_PATH, new Uint8Array(3)));
  });

  test("SE72 the session of a page that left", async () => {
    using host = await connect();
    host.close();
    using other = await connect();
    await until("the bridge knows that the page left", async () => {
      const { bytes } = await seal(host, "/recordings");
      return (await other.post(SEALED_PATH, bytes)).status === 403;
    });
  });

  test("SE72 a body that is cut, and none of it is saved", async () => {
    using host = await connect();
    const { bytes: short } = await seal(host, "/recordings");
    await expectRefused(await host.post(SEALED_PATH, short.slice(0, -1)));
    const path = `/files?name=cut.bin&size=${LARGE.length}`;
    const { bytes, open } = await seal(host, path, { body: new Blob([LARGE]) });
    const answer = await open(await host.post(SEALED_UPLOAD_PATH, bytes.slice(0, -20)));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const again = await host.request(path, { method: "POST", body: new Blob([LARGE]) });
    expect(await again.json()).toMatchObject({ name: "cut.bin" });
  });
});
