// An agent's pipes and the bridge's socket, joined, and what ends it.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectLocal } from "../../local/local-socket.ts";
import { connectAgent } from "./agent-process.ts";

let folder = "";
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), "pp-join-"));
  server = createServer().listen(joinPath(folder, "acp.sock"));
  await once(server, "listening");
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function joined() {
  const came = once(server, "connection");
  const socket = await connectLocal(joinPath(folder, "acp.sock"));
  const [bridge]: Socket[] = await came;
  if (bridge === undefined) return expect.unreachable();
  let received = "";
  bridge.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  const agent = { stdin: new PassThrough(), stdout: new PassThrough() };
  const sent: string[] = [];
  let exit = (_how: string): void => {};
  let stop = (): void => {};
  const ended = new Promise<string>((resolve) => {
    exit = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const end = connectAgent({ ...agent, ended }, socket, {
    onAccepted: (link) => void sent.push(`here ${link}`),
    onText: (text) => void sent.push(text),
    onApprovalRequested: (id, what) => void sent.push(`asks ${id} ${what}`),
    stopped,
  });
  return { ...agent, bridge, received: () => received, sent, exit, stop, end, socket };
}

test("AC44 lines pass as they are both ways; the bridge's words are not the agent's", async () => {
  const { bridge, stdin, stdout, sent, received, end, stop } = await joined();
  bridge.write(`{"pairpty":{"here":{"link":"http://x/w/y"}}}\n{"jsonrpc":"2.0",`);
  bridge.write(
    `"id":0}\n{"pairpty":{"text":"hi"}}\n{"pairpty":{"asks":{"id":"a1","what":"rm x"}}}\n{"pairpty":{"later":1}}\n`,
  );
  const [line] = await once(stdin.setEncoding("utf8"), "data");
  expect(line).toBe(`{"jsonrpc":"2.0","id":0}\n`);
  stdout.write(`{"jsonrpc":"2.0","id":0,"result":{}}\n`);
  await once(bridge, "data");
  expect(received()).toBe(`{"jsonrpc":"2.0","id":0,"result":{}}\n`);
  expect(sent).toEqual(["here http://x/w/y", "hi", "asks a1 rm x"]);
  stop();
  expect(await end).toEqual({ is: "stopped" });
});

test("AC116 the turn's end is the end, well or not", async () => {
  const one = await joined();
  one.bridge.write(`{"pairpty":{"turn":{"reason":"max_tokens"}}}\n`);
  expect(await one.end).toEqual({ is: "turn", reason: "max_tokens" });
  const other = await joined();
  other.bridge.write(`{"pairpty":{"turn":{"error":"it needs a login"}}}\n`);
  expect(await other.end).toEqual({ is: "no turn", error: "it needs a login" });
});

test("AC115 an agent that ends is told to the bridge, on a line of its own", async () => {
  const { bridge, stdout, exit, received, end, socket } = await joined();
  stdout.write(`{"half":`);
  await once(bridge, "data");
  exit("exit code 3");
  expect(await end).toEqual({ is: "agent", how: "exit code 3", hasSpoken: true });
  socket.end();
  await once(bridge, "end");
  expect(received()).toBe(`{"half":\n{"pairpty":{"gone":"the agent exited (exit code 3)"}}\n`);
});

test("AC44 a bridge that closes it says why; one that is gone says nothing", async () => {
  const one = await joined();
  one.bridge.end(`{"pairpty":{"closed":"its link was revoked"}}\n`);
  expect(await one.end).toEqual({ is: "bridge", sentence: "its link was revoked" });
  const other = await joined();
  other.bridge.destroy();
  expect(await other.end).toEqual({ is: "bridge" });
});

test("AC44 an agent that does not read holds the bridge back", async () => {
  const { bridge, stdin, end, stop } = await joined();
  const line = `${JSON.stringify({ jsonrpc: "2.0", text: "x".repeat(100_000) })}\n`;
  let isTaken = true;
  for (let n = 0; n < 100 && isTaken; n++) isTaken = bridge.write(line);
  for (let n = 0; n < 100; n++) bridge.write(line);
  await once(stdin, "readable");
  expect(stdin.readableLength).toBeLessThan(2_000_000);
  let read = 0;
  stdin.on("data", (bytes: Buffer) => {
    read += bytes.length;
  });
  while (read < line.length * 100) await once(stdin, "data");
  stop();
  await end;
});
