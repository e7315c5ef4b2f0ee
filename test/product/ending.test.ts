// How a bridge ends: on purpose, by a crash, and what ends what a crash left.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

test("TU30 TU32 TU46 FI7 a crash is told as one; stop ends what waits, and a real end says whose hand it was", async () => {
  await using place = new Place();
  const product = await place.start("--grace", "1m");
  const { endpoints, tokens } = product.ready;
  const { id } = await product.open({ command: ["sh", "-c", "echo up; sleep 600"] });
  const guest = await PlainClient.connect(endpoints.peer, tokens.edit);
  guest.attach(id);
  await guest.shows(id, "up");
  const sent = await product.http("/files?name=kept", { method: "POST", body: "x" });
  const { path } = (await sent.json()) as { path: string };
  await product.kill();
  const isAway = (message: object) => "state" in message && message.state === "away";
  const crash = await guest.message(isAway, "away");
  expect(crash).toMatchObject({ how: "crashed", until: Number(crash["since"]) + 60_000 });
  expect(existsSync(path)).toBe(true);
  const refused = await place.run(["stop"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const stopped = await place.run(["stop", "--yes"]);
  expect(stopped.stderr).toContain("ended its 1 waiting terminal");
  await until("nothing is left", () => listProcesses(place.root).length === 0);
  expect(existsSync(dirname(path))).toBe(false);
  expect((await place.run(["stop"])).code).toBe(3);
  const next = await place.start();
  await next.open();
  const again = await next.http("/files?name=again", { method: "POST", body: "x" });
  expect(await again.json()).toMatchObject({ path: join(dirname(path), "again") });
  const other = await PlainClient.connect(next.ready.endpoints.peer, next.ready.tokens.view);
  await other.ofType("pty:terminals");
  await place.run(["stop", "--yes"]);
  expect(await other.message(isAway, "away")).toMatchObject({
    how: "ended",
    by: "stop",
  });
  await until("the file is gone", () => !existsSync(dirname(path)));
});

test("TU32 stop ends what a closed window left, also with no terminal in it", async () => {
  await using place = new Place();
  using tty = Tty.pairpty(place, []);
  await tty.shows("i invite");
  tty.hangUp();
  expect(await tty.ends()).toBe(129);
  expect(listProcesses(place.root)).not.toEqual([]);
  const stopped = await place.run(["stop"]);
  expect([stopped.code, stopped.stderr]).toEqual([
    0,
    expect.stringContaining("its remaining processes"),
  ]);
  await until("nothing is left", () => listProcesses(place.root).length === 0);
  expect((await place.run(["stop"])).code).toBe(3);
});
