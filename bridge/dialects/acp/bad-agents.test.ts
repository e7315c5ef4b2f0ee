// Coding agents that send invalid data, flood, answer wrongly, never answer, or crash in a turn.

import type { AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test, vi } from "vitest";
import type { AgentRequestHandler } from "../../conversations/agent-ports.ts";
import { AgentFault } from "../../conversations/agent-ports.ts";
import { connectAgent, MAX_OPEN_REQUESTS } from "./agent-connection.ts";
import { MAX_MESSAGES_PER_WINDOW, filterMessages } from "./message-filter.ts";
import { compact } from "../../../protocol/compact.ts";

const never = () => new Promise<never>(() => {});
const CALLS: AgentRequestHandler = {
  update: () => {},
  requestPermission: never,
  readFile: () => Promise.resolve(""),
  writeFile: never,
  createTerminal: never,
  getOutput: never,
  waitForExit: never,
  kill: never,
  release: never,
};

/** An agent that sends what the test gives it. */
function raw(
  calls: Partial<AgentRequestHandler> = {},
  patienceMs?: number,
  drained = () => Promise.resolve(),
) {
  const toAgent = new TransformStream<AnyMessage, AnyMessage>(undefined, undefined, {
    highWaterMark: 1_000,
  });
  const fromAgent = new TransformStream<AnyMessage, AnyMessage>(undefined, undefined, {
    highWaterMark: 1_000,
  });
  const reader = toAgent.readable.getReader();
  const writer = fromAgent.writable.getWriter();
  const faults: string[] = [];
  const port = connectAgent({
    wire: {
      stream: { readable: fromAgent.readable, writable: toAgent.writable },
      waitForDrain: drained,
    },
    calls: { ...CALLS, ...calls },
    hasTerminals: true,
    hasFiles: true,
    log: { error: (line) => void faults.push(line) },
    ...compact({ timeoutMs: patienceMs }),
  });
  return {
    port,
    faults,
    // Deliberately invalid.
    say: (message: unknown) => writer.write(message as AnyMessage),
    hear: async () => (await reader.read()).value,
    end: () => writer.close(),
  };
}

test("AC14 an answer of another form, an error and silence are each told as such", async () => {
  const agent = raw({}, 50);
  const wrong = agent.port.initialize();
  await agent.hear();
  await agent.say({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "one" } });
  await expect(wrong).rejects.toThrow(/answer to initialize is wrong: protocolVersion/);
  const other = agent.port.initialize();
  await agent.hear();
  await agent.say({ jsonrpc: "2.0", id: 1, result: { protocolVersion: 9 } });
  await expect(other).rejects.toThrow("the agent speaks ACP version 9; pairpty speaks 1");
  const failed = agent.port.openSession("/", []);
  await agent.hear();
  const error = { code: -32_603, message: "Internal error", data: { details: "no disk" } };
  await agent.say({ jsonrpc: "2.0", id: 2, error });
  await expect(failed).rejects.toThrow("session/new failed: Internal error: no disk");
  const login = agent.port.openSession("/", []);
  await agent.hear();
  await agent.say({ jsonrpc: "2.0", id: 3, error: { code: -32_000, message: "Log in" } });
  await expect(login).rejects.toMatchObject({ wantsLogin: true });
  await expect(agent.port.setMode("s", "m")).rejects.toThrow(/did not answer session\/set_mode/);
});

test("AC96 nonsense costs the agent an error, and the connection goes on", async () => {
  const agent = raw();
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const invalid = -32_600;
  await agent.say([]);
  expect(await agent.hear()).toMatchObject({ id: null, error: { code: invalid } });
  await agent.say({ hello: 1 });
  expect(await agent.hear()).toMatchObject({ error: { code: invalid } });
  await agent.say({ jsonrpc: "2.0", id: 7, method: "no/such/method" });
  expect(await agent.hear()).toMatchObject({ id: 7, error: { code: -32_601 } });
  await agent.say({ jsonrpc: "2.0", id: 8, method: "terminal/create", params: { command: 3 } });
  expect(await agent.hear()).toMatchObject({ id: 8, error: { code: -32_602 } });
  // Answers without a request, unknown notifications, malformed updates.
  await agent.say({ jsonrpc: "2.0", id: 99, result: {} });
  await agent.say({ jsonrpc: "2.0", result: {} });
  await agent.say({ jsonrpc: "2.0", method: "no/such/notification" });
  await agent.say({ jsonrpc: "2.0", method: "session/update", params: 5 });
  await agent.say({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s" } });
  await agent.say({ jsonrpc: "2.0", id: 9, method: "fs/read_text_file", params: {} });
  expect(await agent.hear()).toMatchObject({ id: 9, error: { code: -32_602 } });
  expect(printed).not.toHaveBeenCalled();
  expect(agent.faults).toEqual([]);
});

test("AC14 a fault of ours is an error without details; an agent that is gone fails what waits", async () => {
  const agent = raw({
    readFile: () => {
      throw new TypeError("a bug of ours at /home/somebody");
    },
  });
  const params = { sessionId: "s", path: "/x" };
  await agent.say({ jsonrpc: "2.0", id: 1, method: "fs/read_text_file", params });
  const answer = JSON.stringify(await agent.hear());
  expect(answer).toMatch(/-32603/);
  expect(answer).not.toMatch(/somebody/);
  expect(agent.faults[0]).toMatch(/a bug of ours/);
  const turn = agent.port.prompt("s", "go");
  await agent.hear();
  await agent.end();
  await expect(turn).rejects.toThrow(AgentFault);
  await expect(turn).rejects.toThrow(/the connection is gone/);
  await agent.port.closed;
});

test("AC15 AC98 more than 64 requests at once are refused, and a flood waits at its own end", async () => {
  const agent = raw();
  const params = { sessionId: "s", terminalId: "t" };
  for (let id = 0; id <= MAX_OPEN_REQUESTS; id++) {
    await agent.say({ jsonrpc: "2.0", id, method: "terminal/wait_for_exit", params });
  }
  expect(await agent.hear()).toMatchObject({ id: MAX_OPEN_REQUESTS, error: { code: -32_001 } });
  let slept = 0;
  let turns = 0;
  const source = new TransformStream<AnyMessage, AnyMessage>();
  const sink = new TransformStream<AnyMessage, AnyMessage>();
  const ends = { readable: source.readable, writable: sink.writable };
  const clock = {
    // The fake clock makes them simultaneous, however slow this machine is.
    now: () => 0,
    sleep: () => {
      slept += 1;
      return Promise.resolve();
    },
    nextTurn: () => {
      turns += 1;
      return Promise.resolve();
    },
  };
  const stream = filterMessages(ends, () => {}, clock);
  const writer = source.writable.getWriter();
  const reader = stream.readable.getReader();
  const note = { jsonrpc: "2.0", id: "x", method: "session/update" } as const;
  const count = 3 * MAX_MESSAGES_PER_WINDOW;
  void (async () => {
    for (let sent = 0; sent < count; sent++) await writer.write(note);
  })();
  for (let read = 0; read < count; read++) await reader.read();
  expect(slept).toBe(2);
  expect(turns).toBe(count);
});

test("AC100 of what answers with much, the next one begins when the agent has read the last", async () => {
  const begun: string[] = [];
  const unread: (() => void)[] = [];
  const agent = raw(
    {
      readFile: (_session, path) => {
        begun.push(path);
        return Promise.resolve("much");
      },
    },
    undefined,
    () => new Promise((resolve) => void unread.push(resolve)),
  );
  for (const id of [1, 2, 3]) {
    const params = { sessionId: "s", path: `/${id}` };
    await agent.say({ jsonrpc: "2.0", id, method: "fs/read_text_file", params });
  }
  for (const id of [1, 2, 3]) {
    await vi.waitFor(() => expect(unread).toHaveLength(1));
    // Enough turns of the event loop for all of them.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toHaveLength(id - 1);
    unread.shift()?.();
    expect(await agent.hear()).toMatchObject({ id, result: { content: "much" } });
  }
});
