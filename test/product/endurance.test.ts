// Things that must hold however often: no tail lost, no descriptor leaked into a child,
// no process left behind.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChildren } from "../../bridge/processes/process-record.ts";
import type { Product } from "../support/product.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

const connect = () => PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);

/** Every process below one, itself not. */
function descendants(pid: number): number[] {
  return listChildren(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** Descriptors of a process that are PTY masters. */
function masters(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).includes("ptmx");
      } catch {
        return false;
      }
    });
  } catch {
    return [];
  }
}

test("H1 40 runs of a command that prints 20 KB and exits at once: 40 complete outputs", async () => {
  // Without the held slave one in ten is cut: forty find it. The host's own test has more.
  const RUNS = 40;
  const AT_ONCE = 8;
  const LENGTH = 20_000;
  using client = await connect();
  let started = 0;
  const incomplete: string[] = [];
  const worker = async () => {
    while (started++ < RUNS) {
      const { id, epoch } = await product.open({
        command: ["/usr/bin/head", "-c", String(LENGTH), "/dev/zero"],
      });
      client.attach(id, { epoch, offset: 0 });
      await client.message((m) => m.id === id && m.type === "pty:exit", "the exit");
      const length = client.text.get(id)?.length ?? 0;
      if (length !== LENGTH) incomplete.push(`${id}: ${length}`);
      client.forget(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(incomplete).toEqual([]);
}, 120_000);

test("H2 no child of any process of ours has a PTY master, with terminals ending at random between spawns", async () => {
  const open: string[] = [];
  // A fixed sequence: a failure is the same tomorrow.
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 16; round++) {
    const { id } = await product.open({ command: ["/bin/sh", "-c", "sleep 1000 & wait"] });
    open.push(id);
    if (open.length > 3 && random(2) === 0) {
      const [ended] = open.splice(random(open.length), 1);
      expect((await product.http(`/pty/${ended}`, { method: "DELETE" })).status).toBe(204);
    }
  }
  const host = product.hostPid();
  // The host is a child of the bridge, and the one process whose masters they are.
  const below = listProcesses(place.root).flatMap((pid) => descendants(pid));
  const ours = [...new Set(below)].filter((pid) => pid !== host);
  expect(ours.length).toBeGreaterThan(2 * open.length - 1);
  const leaks = ours.map((pid) => [pid, masters(pid)] as const).filter(([, fds]) => fds.length > 0);
  expect(leaks).toEqual([]);
  expect(masters(host).length).toBe(open.length);
  expect(masters(product.pid)).toEqual([]);
  for (const id of open) await product.http(`/pty/${id}`, { method: "DELETE" });
  expect(masters(host)).toEqual([]);
});

test("T2 closing a terminal ends its whole tree, also what hid in a session of its own", async () => {
  using client = await connect();
  const { id } = await product.open({ command: ["/bin/bash", "--norc"] });
  client.attach(id);
  const hide = (how: string, time: number, up: string) =>
    client.type(id, `${how} sh -c 'touch ${up}; exec sleep ${time}' >/dev/null 2>&1 &\n`);
  hide("setsid", 4321, "a");
  hide("nohup", 4322, "b");
  hide("env trap=1 setsid nohup", 4323, "c");
  client.type(
    id,
    "while [ ! -e a -o ! -e b -o ! -e c ]; do sleep 0.01; done; echo started-$((1+1))\n",
  );
  await client.shows(id, "started-2");
  const sleepers = () =>
    listProcesses(place.root).filter((pid) => /sleep.432/.test(commandLine(pid)));
  expect(sleepers().length).toBeGreaterThanOrEqual(3);
  expect((await product.http(`/pty/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(sleepers()).toEqual([]);
});

test("T15 a shell that exits by itself takes only what a hang-up takes", async () => {
  using client = await connect();
  const { id } = await product.open({ command: ["/bin/bash", "--norc"] });
  client.attach(id);
  // The job says that it runs before the shell ends: a hang-up may come before an exec.
  client.type(id, "nohup sh -c 'touch up; exec sleep 5432' >/dev/null 2>&1 & disown\n");
  client.type(id, "while [ ! -e up ]; do sleep 0.01; done; exit\n");
  await client.ofType("pty:exit");
  const survivors = listProcesses(place.root).filter((pid) => /5432/.test(commandLine(pid)));
  expect(survivors.length).toBe(1);
  for (const pid of survivors) process.kill(pid, "SIGKILL");
});

test("T3 children get no token, no key and no PAIRPTY_* but the mark", async () => {
  using client = await connect();
  const { id } = await product.open({
    command: ["/usr/bin/env"],
    env: { PAIRPTY_X: "1", MINE: "2" },
  });
  client.attach(id);
  await client.ofType("pty:exit");
  const text = client.text.get(id) ?? "";
  expect(text.match(/PAIRPTY_\w+/g)).toEqual(["PAIRPTY_TERMINAL"]);
  expect(text).toContain("MINE=2");
  expect(text).toContain("TERM=xterm-256color");
  expect(text).not.toMatch(/pp_[0-9A-Za-z]{10}_/);
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
