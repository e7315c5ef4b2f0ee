import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { pair } from "../../../test/support/socket-pair.ts";
import { FIRST_LINE_TIMEOUT_MS } from "../../local/local-socket.ts";
import { readIntroduction } from "./mcp-introduction.ts";

const MOST = 1 << 16;
const NAMELESS = `{"pairpty":{}}\n`;
const INITIALIZE = `{"method":"initialize","params":{"clientInfo":{"name":"editor"}}}\n`;

/** Returns the agent's name, and the bytes left on the socket. */
async function introduced(
  ...pieces: string[]
): Promise<{ name: string | undefined; left: string }> {
  const { agent, socket } = await pair();
  const named = new Promise<string | undefined>((resolve) => {
    readIntroduction(socket, MOST, resolve);
  });
  for (const piece of pieces) {
    agent.write(piece);
    // Each chunk arrives separately.
    if (pieces.length > 1) await once(socket, "data");
  }
  const name = await named;
  let left = "";
  socket.on("data", (chunk: Buffer) => (left += chunk.toString()));
  agent.end();
  await once(socket, "end");
  return { name, left };
}

test("G25 a local agent is called by the verb's line, else by its client's first message", async () => {
  const more = `{"id":2}\n{"id"`;
  expect(await introduced(`{"pairpty":{"name":"a"}}\n${INITIALIZE}${more}`)).toEqual({
    name: "a",
    left: INITIALIZE + more,
  });
  expect(await introduced(NAMELESS + INITIALIZE + more)).toEqual({
    name: "editor",
    left: INITIALIZE + more,
  });
  const [one, two] = [INITIALIZE.slice(0, 9), INITIALIZE.slice(9)];
  expect(await introduced(NAMELESS.slice(0, 3), NAMELESS.slice(3), one, two)).toEqual({
    name: "editor",
    left: INITIALIZE,
  });
  expect(await introduced(INITIALIZE)).toEqual({ name: "editor", left: INITIALIZE });
});

test("M18 G25 G12 M32 there is one introduction: what comes behind it is the client's, whatever it says", async () => {
  const flood = NAMELESS.repeat(20_000);
  const { name, left } = await introduced(flood);
  expect(name).toBeUndefined();
  expect(left.length).toBe(flood.length - NAMELESS.length);
});

test("M18 a connection that says no line makes way after 10 s; one that did may think", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const [silent, thinking] = [await pair(), await pair()];
  for (const { socket } of [silent, thinking]) readIntroduction(socket, MOST, () => {});
  silent.agent.write(NAMELESS.slice(0, 5));
  thinking.agent.write(NAMELESS);
  await Promise.all([once(silent.socket, "data"), once(thinking.socket, "data")]);
  vi.advanceTimersByTime(FIRST_LINE_TIMEOUT_MS);
  expect(silent.socket.destroyed).toBe(true);
  expect(thinking.socket.destroyed).toBe(false);
});
