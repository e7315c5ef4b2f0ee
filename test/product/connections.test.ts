// Silent TCP connections to a relay's port: workerd takes a descriptor for each, and ends without one.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { askRelay } from "../support/http.ts";
import { LimitedPlace } from "../support/limited-place.ts";
import { OwnRelay } from "../support/own-relay.ts";
import { Place } from "../support/product.ts";
import { until } from "../support/waiting.ts";

/** Enough for each process to start, and few enough to use up. */
const FEW_FILES = 200;

/** Returns the soft and the hard limit of a process. */
function readLimits(pid: number): readonly [string, string] {
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  const [, soft = "", hard = ""] = /^Max open files +(\S+) +(\S+)/m.exec(limits) ?? [];
  return [soft, hard];
}

test.skipIf(process.platform !== "linux")(
  "R47 workerd gets the descriptors that the hard limit allows, in both kinds of relay",
  async () => {
    await using place = new LimitedPlace(`-S -n ${FEW_FILES}`);
    const product = await place.start();
    const relay = await OwnRelay.start(place);
    try {
      const [, hard] = readLimits(product.pid);
      expect(Number(hard)).not.toBe(FEW_FILES);
      const [, embedded] = place.relayProcesses().processes;
      expect(readLimits(embedded?.pid ?? 0)).toEqual([hard, hard]);
      expect(readLimits(relay.ready.workerd)).toEqual([hard, hard]);
    } finally {
      await relay.stop();
    }
  },
);

test("R96 R97 a workerd that runs out of descriptors is started again, and the log says what to do", async () => {
  await using place = new LimitedPlace(`-n ${FEW_FILES}`);
  const relay = await OwnRelay.start(place);
  const sockets: Socket[] = [];
  try {
    const product = await place.start("--relay", relay.ready.relay, "--e2e", "off");
    expect(relay.stderr).toMatch(/200 files and connections.*LimitNOFILE/);
    for (let count = 0; count < FEW_FILES; count++) {
      const socket = connect(relay.port, "127.0.0.1");
      socket.on("error", () => undefined);
      sockets.push(socket);
    }
    await relay.event("restarted");
    expect(relay.stderr).toMatch(
      /died \(.*it ran out of file descriptors.*LimitNOFILE.*restarting/,
    );
    for (const socket of sockets) socket.destroy();
    await until("the bridge is back", async () => (await product.http("/pty")).status === 200);
    expect((await askRelay(`${relay.ready.relay}/w/any/health`)).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await relay.stop();
  }
});

test("R94 enough descriptors: silent connections cost no one anything, and are closed", async () => {
  await using place = new Place();
  const relay = await OwnRelay.start(place);
  try {
    const sockets = Array.from({ length: FEW_FILES }, () => connect(relay.port, "127.0.0.1"));
    const closed = sockets.map((socket) => once(socket.resume(), "close"));
    expect((await askRelay(`${relay.ready.relay}/w/any/health`)).status).toBe(200);
    await Promise.all(closed);
    expect(relay.events.map(({ event }) => event)).not.toContain("restarted");
  } finally {
    await relay.stop();
  }
});
