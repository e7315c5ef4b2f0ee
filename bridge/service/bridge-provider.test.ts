// The provider that passes everything to a bridge, over a played bridge.
// test/product/service.test.ts uses the real one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { LineServer } from "../local/local-socket.ts";
import { BridgeCommands, BridgeSessions } from "./bridge-sessions.ts";
import { BridgeProvider } from "./bridge-provider.ts";
import type { ToolCallResult } from "./mcp-client.ts";
import { McpClient } from "./mcp-client.ts";

type Answers = (tool: string, args: object) => Partial<ToolCallResult>;

/** Returns tools that answer from a table, and records their calls. */
function played(answers: Answers) {
  const calls: [string, object][] = [];
  const call = async (tool: string, args: object): Promise<ToolCallResult> => {
    calls.push([tool, args]);
    return { isError: false, text: "", structured: {}, ...answers(tool, args) };
  };
  return { calls, call };
}

const RAN = { ok: true, exitCode: 0, stdout: "o", stderr: "e", output: "oe" };

describe("commands", () => {
  test("Y65 a command is the bridge's bash, with folder, variables, input and wall", async () => {
    const { calls, call } = played(() => ({ structured: RAN }));
    const commands = new BridgeCommands(call, "sandbox");
    const options = { timeoutSeconds: 9, input: "i", env: { A: "b" }, workingDirectory: "/w" };
    expect(await commands.run("ls", options)).toEqual(RAN);
    const { output, ...fields } = RAN;
    const byText = played(() => ({
      structured: fields,
      text: `Exit code: 0\n\nOutput:\n${output}`,
    }));
    expect(await new BridgeCommands(byText.call, undefined).run("ls", options)).toEqual(RAN);
    const place = { workingDirectory: "/w", env: { A: "b" }, isolation: "sandbox" };
    expect(calls).toEqual([["bash", { command: "ls", timeoutSeconds: 9, stdin: "i", ...place }]]);
  });

  test("Y65 what the bridge refuses is the result's error, and so is what it cannot do", async () => {
    const denied = played(() => ({ isError: true, text: "A person denied this: no" }));
    const plain = { timeoutSeconds: 1 };
    expect(await new BridgeCommands(denied.call, undefined).run("x", plain)).toMatchObject({
      ok: false,
      exitCode: -1,
      error: "A person denied this: no",
    });
    const odd = played(() => ({ structured: { ok: "yes" } }));
    expect((await new BridgeCommands(odd.call, undefined).run("x", plain)).error).toMatch(
      /Unexpected answer from the bridge/,
    );
    const without = { ...plain, env: { PATH: undefined } };
    expect((await new BridgeCommands(odd.call, undefined).run("x", without)).error).toMatch(
      /cannot remove environment variables: PATH/,
    );
  });

  test("Y65 one that becomes a session is waited for, and ended when its time is over", async () => {
    const late = { ...RAN, ok: false, exitCode: null, id: "term-3", error: "It still runs" };
    let rounds = 0;
    const goesOn = played((tool) => {
      if (tool === "bash") return { structured: late };
      rounds += 1;
      const complete = rounds === 2;
      const exit = complete ? { exitCode: 5 } : {};
      return { structured: { output: `+${rounds}`, position: 0, complete, ...exit } };
    });
    const commands = new BridgeCommands(goesOn.call, undefined);
    expect(await commands.run("make", { timeoutSeconds: 600 })).toEqual({
      ok: false,
      exitCode: 5,
      output: "oe+1+2",
      stdout: "o+1+2",
      stderr: "e",
    });
    const stopped = await commands.run("make", { timeoutSeconds: 0 });
    expect(stopped.error).toMatch(/^Timed out after 0 s/);
    expect(goesOn.calls.at(-1)).toEqual(["terminal_stop", { sessionId: "term-3" }]);
  });
});

describe("sessions", () => {
  const WAIT = { minInterval: 0, settleInterval: 0, maxInterval: 1 };

  test("Y65 they are started, typed into, read by position and stopped", async () => {
    const { calls, call } = played((tool, args) => {
      if (tool === "terminal_start")
        return { structured: { id: "term-1", output: "a", position: 1 } };
      const again = "position" in args;
      return { structured: { output: again ? "ab" : "b", position: 2, complete: false } };
    });
    const sessions = new BridgeSessions(call, undefined);
    const id = await sessions.start("python3", { timeoutSeconds: 0 });
    expect(sessions.status(id)).toMatchObject({ id: "term-1", running: true, outputLength: 1 });
    await sessions.send(id, "<b> is no key, <Up> is");
    expect(await sessions.collect(id, 0, WAIT)).toEqual({
      output: "ab",
      newPosition: 2,
      isComplete: false,
    });
    await sessions.collect(id, 2, WAIT);
    await sessions.stop(id);
    expect(calls).toEqual([
      ["terminal_start", { command: "python3" }],
      // Typed literally, although the tool knows named keys.
      ["terminal_continue", { sessionId: id, stdin: "<b> is no key, <<Up> is" }],
      // The answer to the input already waited; the next call waits itself.
      ["terminal_continue", { sessionId: id, position: 0 }],
      ["terminal_continue", { sessionId: id }],
      ["terminal_continue", { sessionId: id, position: 2 }],
      ["terminal_stop", { sessionId: id }],
    ]);
    expect(sessions.status(id)).toBeNull();
    await expect(sessions.send(id, "x")).rejects.toThrow("There is no session term-1");
  });

  test("Y65 a refusal of what was typed is told to whoever typed it", async () => {
    const { call } = played((tool) =>
      tool === "terminal_start"
        ? { structured: { id: "term-1", output: "", position: 0 } }
        : { isError: true, text: "A person denied this" },
    );
    const sessions = new BridgeSessions(call, undefined);
    const id = await sessions.start("sh", { timeoutSeconds: 0 });
    await expect(sessions.send(id, "rm x\n")).rejects.toThrow("A person denied this");
  });
});

const Request = z.object({
  id: z.optional(z.int()),
  method: z.optional(z.string()),
  params: z.optional(z.object({ name: z.optional(z.string()) })),
});

/** A bridge's socket, and what it received. */
function socketWith(answer: (name: string) => object | "close") {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-lines-"));
  const path = join(folder, "mcp.sock");
  const received: unknown[] = [];
  const server = new LineServer({
    onValue: (caller, value) => {
      received.push(value);
      const { id, method, params } = z.parse(Request, value);
      if (id === undefined) return;
      if (method === "initialize") return caller.send({ jsonrpc: "2.0", id, result: {} });
      const result = answer(params?.name ?? "");
      if (result === "close") return caller.close();
      // A notification between request and response is ignored.
      caller.send({ jsonrpc: "2.0", method: "notifications/message", params: {} });
      return caller.send({ jsonrpc: "2.0", id, ...result });
    },
  });
  server.open(path);
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { path, received };
}

describe("the wire", () => {
  test("Y65 it introduces itself by its name, and calls tools", async () => {
    const content = [{ type: "text", text: "first" }, { type: "text" }];
    const { path, received } = socketWith(() => ({
      result: { content, structuredContent: { a: 1 } },
    }));
    const lines = await McpClient.connect(path, "builder");
    const reply = await lines.call("bash", { command: "ls" });
    expect(reply).toEqual({ isError: false, text: "first", structured: { a: 1 } });
    expect(received).toMatchObject([
      { pairpty: { name: "builder" } },
      { method: "initialize", params: { clientInfo: { name: "builder" } } },
      { method: "notifications/initialized" },
      { method: "tools/call", params: { name: "bash", arguments: { command: "ls" } } },
    ]);
    lines.close();
  });

  test("Y65 an error of the bridge, an odd answer and the end of the connection are errors", async () => {
    const { path } = socketWith((name) => {
      if (name === "gone") return "close";
      return name === "bad" ? { error: { code: 1, message: "no such tool" } } : { result: [] };
    });
    const lines = await McpClient.connect(path, "builder");
    await expect(lines.call("bad", {})).rejects.toThrow("no such tool");
    await expect(lines.call("odd", {})).rejects.toThrow(/Unexpected answer from the bridge to odd/);
    await expect(lines.call("gone", {})).rejects.toThrow(/closed the connection/);
    await expect(lines.call("bash", {})).rejects.toThrow(/closed the connection/);
    expect(lines.isOpen).toBe(false);
  });

  test("Y135 where no bridge runs, a command says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pairpty-nobody-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const provider = new BridgeProvider({ folder });
    const { error } = await provider.executeCommand("ls", [], { timeoutSeconds: 1 });
    expect(error).toMatch(/^pairpty is not running in .*start it there/);
    expect([provider.getIsolationLevel(), provider.asksPeople]).toEqual(["none", true]);
    await provider.close();
  });
});
