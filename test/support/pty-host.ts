// Owns a real pty host under test. It and its clients are ended when the test is over.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, onTestFinished } from "vitest";
import { compact } from "../../protocol/compact.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { HostClient } from "./host-client.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bridge/pty-host.js", import.meta.url));

export interface HostProcess {
  readonly pid: number;
  readonly socket: string;
  /** The exit code, once it is over. */
  readonly over: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** Connects without a word. */
  dial(): Promise<HostClient>;
  /** Connects, says hello and waits for everything the host knows. */
  join(): Promise<HostClient>;
}

export async function startHost(graceMs = 60_000, socket?: string): Promise<HostProcess> {
  const { end, ...host } = await launchHost({
    graceMs,
    ...compact({ socket }),
  });
  onTestFinished(end);
  return host;
}

/**
 * One host for all tests of a file but those that end it: a start costs more than most of them. Each
 * test finds it without a terminal and without a bridge.
 */
export function sharedHost(): () => HostProcess {
  const clients: HostClient[] = [];
  let host: Awaited<ReturnType<typeof launchHost>>;
  beforeAll(async () => {
    host = await launchHost();
  });
  afterEach(async () => {
    if (clients.length === 0) return;
    for (const client of clients.splice(0)) client.close();
    await clear(host);
  });
  afterAll(() => host.end());
  const noted = async (coming: Promise<HostClient>) => {
    const client = await coming;
    clients.push(client);
    return client;
  };
  return () => ({
    ...host,
    dial: () => noted(host.dial()),
    join: () => noted(host.join()),
  });
}

/** Ends and forgets every terminal of a host that no bridge has. */
export async function clear(host: HostProcess): Promise<void> {
  const client = await host.join();
  for (const { handle, state } of client.states) {
    if (state.exit === null) {
      client.send(FrameType.signal, handle, { signal: "SIGKILL" });
      await client.exit(handle);
    }
    client.send(FrameType.forget, handle);
  }
  await client.settled();
  client.close();
}

export interface HostOptions {
  readonly graceMs?: number;
  readonly socket?: string;
  /** Of whom it is; of whoever runs the test, else. */
  readonly uid?: number;
  readonly gid?: number;
}

/** One that several tests share: whoever launches it ends it. */
export async function launchHost(
  request: HostOptions = {},
): Promise<HostProcess & { readonly end: () => Promise<void> }> {
  const { graceMs = 60_000, uid, gid } = request;
  const folder = mkdtempSync(join(tmpdir(), "pairpty-host-"));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const path = request.socket ?? join(folder, "host.sock");
  const args = ["--socket", path, "--grace-ms", String(graceMs), "--log", join(folder, "log")];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    // Nothing of the runner's: a host that outlived its test would keep the whole run from ending.
    stdio: ["ignore", "pipe", "pipe"],
    ...compact({ uid, gid }),
  });
  let complaint = "";
  child.stderr.on("data", (part: Buffer) => {
    complaint += part.toString();
  });
  const over = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  const clients: HostClient[] = [];
  const end = async () => {
    for (const client of clients) client.close();
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await over;
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = once(createInterface(child.stdout), "line");
  const line = await Promise.race([ready, over.then((code) => [`ended with ${code}`])]);
  if (line[0] !== '{"event":"ready"}')
    throw new Error(`the pty host said: ${String(line[0])} ${complaint}`);
  const dial = async (): Promise<HostClient> => {
    const connection = connect(path);
    await once(connection, "connect");
    const client = new HostClient(connection);
    clients.push(client);
    return client;
  };
  const join_ = async (): Promise<HostClient> => {
    const client = await dial();
    client.hello();
    await client.until("caught up", () => client.has(FrameType.caughtUp));
    return client;
  };
  return {
    pid: child.pid ?? -1,
    socket: path,
    over,
    kill: (signal) => child.kill(signal),
    dial,
    join: join_,
    end,
  };
}
