import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { pair } from "../../../test/support/socket-pair.ts";
import { SerialQueue } from "../../reading/serial-queue.ts";
import { toMessageStream } from "./socket-messages.ts";

const MOST = 1 << 16;

const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });

test("M17 of floods of lines every message comes, in order, and others have their turn after each", async () => {
  const turns = new SerialQueue();
  const agents = [await pair(), await pair()];
  let count = 0;
  let most = 0;
  let before = 0;
  const turn = (): void => {
    most = Math.max(most, count - before);
    before = count;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  const ids = Array.from({ length: 2_500 }, (_, id) => id);
  const all = agents.map(async ({ agent, socket }) => {
    const received: number[] = [];
    const lines = createInterface({ input: toMessageStream(socket, MOST, turns) });
    lines.on("line", (line) => {
      count += 1;
      received.push(JSON.parse(line).id);
    });
    agent.end(`${"\n".repeat(50_000)}${ids.map((id) => `${ping(id)}\n`).join("")}`);
    await once(lines, "close");
    return received;
  });
  expect(await Promise.all(all)).toEqual([ids, ids]);
  clearImmediate(timer);
  expect(most).toBe(1);
});

test("M31 an agent that does not read its answers is not read further, until it does", async () => {
  const { agent, socket } = await pair();
  agent.pause();
  const received: string[] = [];
  const text = "x".repeat(1 << 16);
  createInterface({ input: toMessageStream(socket, MOST, new SerialQueue()) }).on(
    "line",
    (line) => {
      received.push(line);
      socket.write(text);
    },
  );
  agent.write(`${ping(1)}\n`.repeat(1_000));
  await expect.poll(() => received.length).toBeGreaterThan(0);
  // Enough turns for all the others.
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(received.length).toBeLessThanOrEqual(128);
  agent.resume();
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1_000);
});

test("M23 what is no message is answered, and goes no further; a line without an end is the end", async () => {
  const { agent, socket } = await pair();
  const received: string[] = [];
  createInterface({ input: toMessageStream(socket, MOST, new SerialQueue()) }).on("line", (line) =>
    received.push(line),
  );
  const answers = createInterface({ input: agent });
  const sent: unknown[] = [];
  answers.on("line", (line) => sent.push(JSON.parse(line)));
  agent.write(`{\n\n{"id":7,"method":3}\n${ping(1)}\n`);
  await expect.poll(() => received).toEqual([ping(1)]);
  await expect
    .poll(() => sent)
    .toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 7, error: { code: -32600 } },
    ]);
  agent.write("x".repeat(2 * MOST));
  await once(answers, "close");
  expect(socket.destroyed).toBe(true);
});
