// A host that stands still with its sockets open, as with its lid closed: the bridge gets SIGSTOP, and
// SIGCONT later. Nothing that came meanwhile may run.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_TICK_GAP_MS } from "../../bridge/link/freshness.ts";
import { NUDGE_AFTER_QUIET_MS } from "../../protocol/limits.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

let place: Place;
let product: Product;
beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(async () => {
  product.child.kill("SIGCONT");
  await place[Symbol.asyncDispose]();
});

const come = () => PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
const hearSilence = (client: PlainClient) =>
  client.message(({ type, how }) => type === "bridge" && how === "silent", "the host's silence");
const isThere = (name: string) => existsSync(join(place.folder, name));

test("L12 R43 R45 R86 R87 R90 what is typed or asked for while the host is frozen does not run when it wakes", async () => {
  const { id } = await product.open({ command: ["/bin/sh"] });
  const typist = await come();
  typist.attach(id);
  await typist.ofType("pty:attached");
  typist.type(id, "echo is-$((6*7))\n");
  await typist.shows(id, "is-42");

  product.child.kill("SIGSTOP");
  for (const key of "touch typed\n") typist.type(id, key);
  typist.send({ type: "pty:spawn", id: "mine", command: ["touch", "opened"] });
  const spawned = product.http("/pty/spawn", {
    method: "POST",
    body: JSON.stringify({ command: ["touch", "spawned"] }),
  });
  // The bridge was heard just now: the room has no reason to ask before that.
  await delay(NUDGE_AFTER_QUIET_MS + 500);
  const newcomer = await come();
  const reported = await hearSilence(newcomer);
  expect(reported).toMatchObject({ state: "away", since: expect.any(Number) });
  expect(await hearSilence(typist)).toEqual(reported);
  const refused = await spawned;
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: "bridge_away" }]);
  const later = await come();
  expect(await later.ofType("bridge")).toEqual(reported);
  typist.type(id, "touch dropped\n");

  const before = typist.messages.length;
  product.child.kill("SIGCONT");
  for (const asked of [id, "mine"]) {
    const error = await typist.message((one) => one.id === asked && "code" in one, "an error");
    expect(error).toMatchObject({ type: "pty:error", code: "host_asleep" });
  }
  // Everybody is greeted again, and those who came meanwhile for the first time.
  for (const client of [typist, newcomer, later]) {
    await client.ofType("pty:terminals", client === typist ? before : 0);
    expect(client.messages.findLast(({ type }) => type === "bridge")).toMatchObject({
      state: "here",
    });
  }
  typist.type(id, "echo behind-$((6*7))\n");
  await typist.shows(id, "behind-42");
  expect(["typed", "opened", "spawned", "dropped"].filter(isThere)).toEqual([]);
  newcomer.attach(id);
  await newcomer.shows(id, "behind-42");
  // A held key is not answered once a letter.
  const errors = typist.messages.filter(({ type }) => type === "pty:error");
  expect(errors.map((one) => one.id)).toEqual([id, "mine"]);
  for (const client of [typist, newcomer, later]) client.close();
});

test("L12 L19 what is typed while bridge and relay sleep together, as with a closed lid, does not run either", async () => {
  const { id } = await product.open({ command: ["/bin/sh"] });
  const typist = await come();
  typist.attach(id);
  await typist.ofType("pty:attached");
  const sleepers = [
    product.child.pid ?? 0,
    ...place.relayProcesses().processes.map(({ pid }) => pid),
  ];
  for (const pid of sleepers) process.kill(pid, "SIGSTOP");
  try {
    for (const key of "touch lid\n") typist.type(id, key);
    // Longer than any tick may be late.
    await delay(MAX_TICK_GAP_MS + 1_500);
    typist.type(id, "touch lid2\n");
  } finally {
    for (const pid of sleepers) process.kill(pid, "SIGCONT");
  }
  expect(await typist.ofType("pty:error")).toMatchObject({ id, code: "host_asleep" });
  await until("input is taken again", () => {
    typist.type(id, "echo woken-$((6*7))\n");
    return typist.messages.some(({ data }) => String(data).includes("woken-42"));
  });
  expect(["lid", "lid2"].filter(isThere)).toEqual([]);
  typist.close();
});
