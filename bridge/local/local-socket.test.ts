// Lines, however the bytes are split into chunks.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { LineClient } from "./local-socket.ts";
import { connectLocal, LineServer, LineSplitter } from "./local-socket.ts";

test("E17 lines come out alike however their bytes are split, characters among them", () => {
  const text = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 20 });
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(text, cuts, (given, steps) => {
      const wanted = given.map((line) => line.replaceAll("\n", ""));
      const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
      const lines = new LineSplitter(1_000);
      const got: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const step = steps[turn % steps.length] ?? 1;
        got.push(...(lines.push(bytes.subarray(at, at + step)) ?? expect.unreachable("too long")));
        at += step;
      }
      expect(got).toEqual(wanted);
    }),
  );
});

test("E17 a line without an end is given up at its limit, in pieces too", () => {
  const lines = new LineSplitter(10);
  expect(lines.push(Buffer.from("0123456789"))).toEqual([]);
  expect(lines.push(Buffer.from("x"))).toBeUndefined();
  expect(new LineSplitter(10).push(Buffer.from("short\n0123456789x"))).toBeUndefined();
});

/** Connects to a line server whose values `value` handles. */
async function connected(value: (caller: LineClient, asked: unknown) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), "lines-"));
  const path = join(folder, "a.sock");
  const listening = createServer();
  const server = new LineServer({ onValue: value }, listening);
  server.open(path);
  await once(listening, "listening");
  const client = await connectLocal(path);
  onTestFinished(() => {
    client.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return client;
}

test("U7 a connection's requests are answered one after the other, and others have their turn in between", async () => {
  let open = 0;
  let turns = 0;
  const turnsBefore: number[] = [];
  const client = await connected(async (caller, asked) => {
    expect(++open).toBe(1);
    turnsBefore.push(turns);
    setImmediate(() => turns++);
    await Promise.resolve();
    open--;
    caller.send({ asked });
  });
  const answers: unknown[] = [];
  createInterface({ input: client }).on("line", (line) => answers.push(JSON.parse(line).asked));
  const ids = Array.from({ length: 200 }, (_, id) => id);
  client.write(ids.map((id) => `${id}\n`).join(""));
  await expect.poll(() => answers).toEqual(ids);
  expect(turnsBefore).toEqual(ids);
});

test("U16 a caller that does not read its answers is not read further, until it does", async () => {
  const text = "x".repeat(1 << 20);
  let answered = 0;
  const client = await connected(async (caller) => {
    caller.send({ text });
    answered++;
  });
  client.pause();
  client.write("0\n".repeat(5));
  await expect.poll(() => answered).toBe(1);
  // Enough event loop turns for all other connections.
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(1);
  client.resume();
  await expect.poll(() => answered).toBe(5);
});

test("T11 U7 a fault costs the connection whose request it was", async () => {
  const received: unknown[] = [];
  const client = await connected(async (_caller, asked) => {
    received.push(asked);
    if (asked === 1) throw new Error("a bug of ours");
  });
  client.on("error", () => {});
  client.write("0\n1\n2\n");
  await once(client.resume(), "close");
  expect(received).toEqual([0, 1]);
});
