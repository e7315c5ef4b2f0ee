// Converting between text and an agent's messages.

import { expect, test } from "vitest";
import { AgentMessages, MAX_INVALID_BEFORE_FIRST } from "./agent-messages.ts";

function messages() {
  const sent: { id: unknown; error?: { code: number; message: string } }[] = [];
  const ends: string[] = [];
  const agent = new AgentMessages({
    send: (text) => void sent.push(JSON.parse(text)),
    abort: (sentence) => void ends.push(sentence),
  });
  return { agent, sent, ends, reader: agent.stream.readable.getReader() };
}

test("AC41 messages come out as they went in, and the end behind them", async () => {
  const { agent, reader, sent } = messages();
  const call = { jsonrpc: "2.0", id: 1, method: "terminal/create", params: { command: "ls" } };
  agent.receive(JSON.stringify(call));
  agent.receive("");
  agent.receive(`{"jsonrpc":"2.0","id":2,"result":{}}\r`);
  agent.end();
  expect(await reader.read()).toEqual({ done: false, value: call });
  expect((await reader.read()).value).toMatchObject({ id: 2 });
  expect((await reader.read()).done).toBe(true);
  expect(sent).toEqual([]);
  const writer = agent.stream.writable.getWriter();
  await writer.write({ jsonrpc: "2.0", method: "session/cancel" });
  expect(sent).toEqual([{ jsonrpc: "2.0", method: "session/cancel" }]);
});

test("AC41 what is no message is answered with JSON-RPC's own errors, by its id where it has one", () => {
  const { agent, sent, ends } = messages();
  for (const text of [
    "Listening on stdio",
    "[]",
    `{"id":7}`,
    "3",
    "null",
    `{"id":{},"jsonrpc":1}`,
  ]) {
    agent.receive(text);
  }
  expect(sent.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [7, -32_600],
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
  ]);
  expect(ends).toEqual([]);
});

test("AC41 an id that is neither a text nor a number makes no message, however deep it is", async () => {
  const { agent, sent, reader } = messages();
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  for (const id of [deep, "{}", "true"]) agent.receive(`{"jsonrpc":"2.0","id":${id},"method":"x"}`);
  expect(sent.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32_600],
    [null, -32_600],
    [null, -32_600],
  ]);
  agent.receive(`{"jsonrpc":"2.0","id":null,"method":"y"}`);
  expect((await reader.read()).value).toMatchObject({ method: "y" });
});

test("AC112 who says nothing but nonsense is given up with what it said first, in plain characters", () => {
  const { agent, sent, ends } = messages();
  for (let line = 0; line <= MAX_INVALID_BEFORE_FIRST; line++)
    agent.receive(`\u001B[31mWelcome\u001B[0m ${line}`);
  expect(sent).toHaveLength(MAX_INVALID_BEFORE_FIRST);
  expect(ends).toEqual([`it does not speak ACP: its first line was "[31mWelcome [0m 0"`]);
});

test("AC112 an agent that speaks ACP may log a few lines beside it, and not a thousand", () => {
  const { agent, ends } = messages();
  agent.receive(`{"jsonrpc":"2.0","id":0,"result":{}}`);
  for (let line = 0; line < 1_000; line++) agent.receive("debug: hello");
  expect(ends).toEqual([]);
  agent.receive("debug: hello");
  expect(ends).toHaveLength(1);
});

test("AC41 messages that no one takes are not kept without end", () => {
  const { agent, ends } = messages();
  for (let n = 0; ends.length === 0 && n < 30_000; n++)
    agent.receive(`{"jsonrpc":"2.0","id":${n}}`);
  expect(ends).toEqual(["it sends messages faster than they can be read"]);
});
