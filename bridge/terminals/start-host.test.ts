import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PROCESS_TAG_ENV, formatProcessTag } from "../sweep.ts";
import { forgetHost, recordHost } from "./start-host.ts";

let state = "";
const left: ChildProcess[] = [];
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "pp-hosts-"));
});
afterEach(() => {
  rmSync(state, { recursive: true });
  for (const child of left.splice(0)) child.kill("SIGKILL");
});

const newInstance = () => randomBytes(16).toString("hex");

/** Starts a process that stays: a host, or a leftover of its terminal. */
async function staying(instance?: string): Promise<ChildProcess & { pid: number }> {
  const mark =
    instance === undefined ? {} : { [PROCESS_TAG_ENV]: formatProcessTag(instance, "pty-1") };
  const child = spawn("/bin/sleep", ["1000"], { env: mark, detached: true, stdio: "ignore" });
  left.push(child);
  await once(child, "spawn");
  return Object.assign(child, { pid: child.pid ?? 0 });
}

async function die(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

const runs = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

test("E16 a start ends what dead pty hosts of this workspace left, and nothing of others", async () => {
  const [dead, living] = [newInstance(), newInstance()];
  const [elsewhere, now] = [newInstance(), newInstance()];
  const [killed, unreached, host] = [await staying(), await staying(), await staying()];
  recordHost(state, { instance: dead, pid: killed.pid }, {});
  recordHost(state, { instance: living, pid: unreached.pid }, {});
  const daemons = [await staying(dead), await staying(dead)];
  const others = [await staying(living), await staying(elsewhere)];
  await die(killed);
  const gone = Promise.all(daemons.map((child) => once(child, "exit")));
  recordHost(state, { instance: now, pid: host.pid }, {});
  expect(await gone).toEqual(daemons.map(() => [null, "SIGKILL"]));
  expect(others.every(runs)).toBe(true);
  const kept = () => readFileSync(join(state, "pty-hosts.json"), "utf8");
  expect(kept()).toContain(living);
  expect(kept()).not.toContain(dead);
  expect(statSync(join(state, "pty-hosts.json")).mode & 0o777).toBe(0o600);
  forgetHost(state, now);
  expect(kept()).not.toContain(now);
});

test("E16 a start from inside what a dead pty host left does not end what it runs in; a later one does", async () => {
  const [dead, first, second] = [newInstance(), newInstance(), newInstance()];
  const [killed, host] = [await staying(), await staying()];
  recordHost(state, { instance: dead, pid: killed.pid }, {});
  const shell = await staying(dead);
  await die(killed);
  recordHost(
    state,
    { instance: first, pid: host.pid },
    { [PROCESS_TAG_ENV]: formatProcessTag(dead, "pty-1") },
  );
  expect(runs(shell)).toBe(true);
  const gone = once(shell, "exit");
  recordHost(state, { instance: second, pid: host.pid }, {});
  expect(await gone).toEqual([null, "SIGKILL"]);
});
