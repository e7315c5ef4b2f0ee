import { mkdtempSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serveAgent } from "./mcp-command.ts";

let place: string;
let bridge: Server;
let met: Promise<Socket>;

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), "pairpty-mcp-"));
  bridge = createServer({ allowHalfOpen: true });
  met = new Promise((resolve) => bridge.once("connection", resolve));
  await new Promise<void>((resolve) => void bridge.listen(join(place, "mcp.sock"), resolve));
});

afterEach(() => {
  bridge.close();
  rmSync(place, { recursive: true, force: true });
});

function agent() {
  const input = new PassThrough();
  const output = new PassThrough();
  const path = join(place, "mcp.sock");
  return { input, output, path, folder: "/home/me/work", name: undefined };
}

test("M30 an agent that is done leaves without a word", async () => {
  const one = agent();
  const served = serveAgent(one);
  const socket = await met;
  socket.on("end", () => socket.end("the last\n")).resume();
  one.input.end();
  await served;
  expect(one.output.read()?.toString()).toBe("the last\n");
});

test("M16 when the bridge has ended, an agent's program reads what ended and what to do", async () => {
  const served = serveAgent(agent());
  const socket = await met;
  bridge.close();
  socket.destroy();
  await expect(served).rejects.toMatchObject({
    message: "pairpty stopped in /home/me/work, so this agent's connection ended",
    exitCode: 3,
    hint: "Start it there with `pairpty`, then connect the agent again.",
  });
});

test("M16 a bridge that runs on and let the agent go is not said to have ended", async () => {
  const served = serveAgent(agent());
  (await met).destroy();
  await expect(served).rejects.toMatchObject({
    message: "pairpty in /home/me/work closed this agent's connection",
    exitCode: 5,
  });
});

test("M29 without a bridge it says so, wherever it looked", async () => {
  const none = { message: "pairpty is not running in /home/me/work", exitCode: 3 };
  await expect(serveAgent({ ...agent(), path: undefined })).rejects.toMatchObject(none);
  await expect(serveAgent({ ...agent(), path: join(place, "no") })).rejects.toMatchObject(none);
});
