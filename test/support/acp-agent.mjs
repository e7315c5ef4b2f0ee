// A coding agent for tests, on the ACP SDK: node acp-agent.mjs [--relay URL TOKEN]. By stdio, or
// through the relay. A prompt names what it does; it answers with what came of it, as JSON.

import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";
import { WebSocket } from "ws";

const relayAt = process.argv.indexOf("--relay");
const [relay, token] = relayAt < 0 ? [] : process.argv.slice(relayAt + 1);

/** A result, or the code and the sentence of an error. */
async function tried(promise) {
  try {
    return { ok: await promise };
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data };
  }
}

let sessions = 0;
let given;
const cancelled = new Set();

const app = acp
  .agent({ name: "test-agent" })
  .onRequest("initialize", ({ params }) => {
    given = params;
    return {
      protocolVersion: 1,
      agentInfo: { name: "test-agent", version: "1.2.3" },
      agentCapabilities: {
        loadSession: process.env.LOADS === "1",
        mcpCapabilities: { http: process.env.TAKES_HTTP === "1" },
      },
    };
  })
  .onRequest("session/new", ({ params }) => {
    sessions += 1;
    given = { ...given, session: params };
    return { sessionId: `s${sessions}`, modes: MODES };
  })
  .onRequest("session/load", async ({ params, client }) => {
    given = { ...given, session: params };
    const content = { type: "text", text: "as before" };
    const update = { sessionUpdate: "agent_message_chunk", content };
    await client.notify("session/update", { sessionId: params.sessionId, update });
    return { modes: MODES };
  })
  .onRequest("session/set_mode", () => ({}))
  .onRequest("session/prompt", async ({ params, client, signal }) => {
    const [{ text }] = params.prompt;
    const [name, ...words] = text.split(" ");
    const { sessionId } = params;
    cancelled.delete(sessionId);
    const say = (update) => client.notify("session/update", { sessionId, update });
    const call = (method, more, options) => client.request(method, { sessionId, ...more }, options);
    const result = await DEEDS[name]({
      say,
      call,
      words,
      sessionId,
      cwd: given.session.cwd,
      signal,
    });
    if (result === CANCELLED) return { stopReason: "cancelled" };
    const answer = typeof result === "string" ? result : JSON.stringify(result);
    await say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: answer } });
    return { stopReason: "end_turn" };
  })
  .onNotification("session/cancel", ({ params }) => void cancelled.add(params.sessionId));

const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};
const CANCELLED = Symbol("cancelled");

/** The documented methods and errors, one after the other. */
const DEEDS = {
  hello: async () => "hello",
  /** What it was told in initialize and session/new. */
  given: async () => given,
  wait: async ({ sessionId }) => {
    while (!cancelled.has(sessionId)) await delay(20);
    return CANCELLED;
  },
  lifecycle: async ({ say, call }) => {
    const { terminalId } = await call("terminal/create", {
      command: "printf",
      args: ["one\\ntwo\\n"],
    });
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "call-1",
      title: "Printing",
      kind: "execute",
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    });
    const exit = await call("terminal/wait_for_exit", { terminalId });
    const output = await call("terminal/output", { terminalId });
    const released = await call("terminal/release", { terminalId });
    await say({ sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed" });
    const dead = {};
    for (const method of ["output", "wait_for_exit", "kill", "release"]) {
      dead[method] = await tried(call(`terminal/${method}`, { terminalId }));
    }
    return { terminalId, exit, output, released, dead };
  },
  limits: async ({ call, cwd }) => {
    const shell = async (script, more = {}) => {
      const { terminalId } = await call("terminal/create", {
        command: "sh",
        args: ["-c", script],
        ...more,
      });
      const exit = await call("terminal/wait_for_exit", { terminalId });
      const { output, truncated } = await call("terminal/output", { terminalId });
      await call("terminal/release", { terminalId });
      return { exit, output, truncated };
    };
    return {
      cut: await shell("for i in 1 2 3 4 5 6 7 8 9 10; do printf éééééééééé; done", {
        outputByteLimit: 51,
      }),
      none: await shell("echo x", { outputByteLimit: 0 }),
      env: await shell("echo $GREETING; pwd", { env: [{ name: "GREETING", value: "hi" }], cwd }),
      code: await shell("echo out; echo err >&2; exit 3"),
      lines: await shell("printf 'a\\nb\\r\\nc'"),
      colours: await shell("printf '\\033[31mred\\033[0m'"),
    };
  },
  ends: async ({ call, words }) => {
    const [folder] = words;
    const sleeper = (name) => ({
      command: "sh",
      args: ["-c", `echo $$ > ${folder}/${name}; echo up; sleep 60`],
    });
    const killed = await call("terminal/create", sleeper("killed"));
    await until(async () => (await call("terminal/output", killed)).output !== "");
    const running = await call("terminal/output", killed);
    const waiting = call("terminal/wait_for_exit", killed);
    await call("terminal/kill", killed);
    const exit = await waiting;
    const after = await call("terminal/output", killed);
    await call("terminal/release", killed);
    const released = await call("terminal/create", sleeper("released"));
    await until(async () => (await call("terminal/output", released)).output !== "");
    const lastly = tried(call("terminal/wait_for_exit", released));
    await call("terminal/release", released);
    return { running, exit, after, lastly: await lastly };
  },
  /** The documented "building a timeout". */
  timeout: async ({ call }) => {
    const { terminalId } = await call("terminal/create", {
      command: "sh",
      args: ["-c", "echo begun; sleep 60"],
    });
    await until(async () => (await call("terminal/output", { terminalId })).output !== "");
    const stop = new AbortController();
    const waiting = tried(
      call("terminal/wait_for_exit", { terminalId }, { cancellationSignal: stop.signal }),
    );
    const first = await Promise.race([waiting, delay(100, "timer")]);
    stop.abort();
    const abandoned = await waiting;
    await call("terminal/kill", { terminalId });
    const exit = await call("terminal/wait_for_exit", { terminalId });
    const { output, exitStatus } = await call("terminal/output", { terminalId });
    await call("terminal/release", { terminalId });
    return { first, abandoned, exit, output, exitStatus };
  },
  errors: async ({ call }) => ({
    missing: await tried(call("terminal/create", { command: "no-such-program-here" })),
    relative: await tried(call("terminal/create", { command: "ls", cwd: "sub" })),
    outside: await tried(call("terminal/create", { command: "ls", cwd: "/" })),
    session: await tried(call("terminal/create", { command: "ls", sessionId: "other" })),
    terminal: await tried(call("terminal/output", { terminalId: "term-none" })),
    shapeless: await tried(call("terminal/create", { args: ["x"] })),
    method: await tried(call("terminal/dance", {})),
  }),
  /** One question: its own, then none for the same command. */
  permission: async ({ say, call, cwd }) => {
    const rawInput = { command: "sh -c 'echo allowed'", cwd };
    const toolCall = {
      toolCallId: "call-p",
      title: "Say it",
      kind: "execute",
      status: "pending",
      rawInput,
    };
    await say({ sessionUpdate: "tool_call", ...toolCall });
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    const { outcome } = await call("session/request_permission", { toolCall, options });
    if (outcome.optionId !== "yes") return { outcome };
    const { terminalId } = await call("terminal/create", { command: rawInput.command });
    await call("terminal/wait_for_exit", { terminalId });
    const { output } = await call("terminal/output", { terminalId });
    await call("terminal/release", { terminalId });
    return { outcome, output };
  },
  files: async ({ call, words }) => {
    const [folder] = words;
    const path = `${folder}/written.txt`;
    const read = (more = {}) => tried(call("fs/read_text_file", { path, ...more }));
    return {
      before: await read(),
      written: await tried(call("fs/write_text_file", { path, content: "one\ntwo\nthree\n" })),
      whole: await read(),
      part: await read({ line: 2, limit: 1 }),
      outside: await tried(call("fs/read_text_file", { path: "/etc/hostname" })),
    };
  },
  /** Terminals that only it runs, in the form of `_meta`. */
  shows: async ({ say }) => {
    const meta = (_meta, more = {}) =>
      say({ sessionUpdate: "tool_call_update", toolCallId: "call-m", _meta, ...more });
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "call-m",
      title: "Shown",
      kind: "execute",
      status: "in_progress",
      content: [{ type: "terminal", terminalId: "mine" }],
      _meta: { terminal_info: { terminal_id: "mine", cwd: "/" } },
    });
    await meta({ terminal_output: { terminal_id: "mine", data: "shown by the agent\r\n" } });
    await meta(
      { terminal_exit: { terminal_id: "mine", exit_code: 0, signal: null } },
      { status: "completed" },
    );
    return "shown";
  },
  /** From where it stands: what it sees, has and may change. */
  looks: async ({ words }) => {
    const [folder, settings, outside] = words;
    const writes = (path) => {
      try {
        writeFileSync(`${path}/by-the-agent`, "");
        return true;
      } catch {
        return false;
      }
    };
    return {
      shadow: existsSync("/etc/shadow"),
      key: process.env.SOME_API_KEY,
      runtime: existsSync(process.env.XDG_RUNTIME_DIR ?? "/none"),
      wrote: { workspace: writes(folder), settings: writes(settings), outside: writes(outside) },
      servers: given.session.mcpServers.map(({ type }) => type),
    };
  },
  /** A message through the relay that needs several frames, each way. */
  large: async ({ call, words }) => {
    const path = `${words[0]}/large.txt`;
    const content = "line of text\n".repeat(60_000);
    const written = await tried(call("fs/write_text_file", { path, content }));
    const back = await tried(call("fs/read_text_file", { path }));
    return { written, isSame: back.ok?.content === content, length: content.length };
  },
  /** create → wait → output → release, so many times; milliseconds each. */
  rounds: async ({ call, words }) => {
    const times = [];
    for (let round = 0; round < Number(words[0]); round++) {
      const began = performance.now();
      const { terminalId } = await call("terminal/create", { command: "true" });
      await call("terminal/wait_for_exit", { terminalId });
      await call("terminal/output", { terminalId });
      await call("terminal/release", { terminalId });
      times.push(performance.now() - began);
      await delay(Number(words[1] ?? 0));
    }
    return times;
  },
  /** Leaves something behind that ignores signals. */
  leave: async ({ words }) => {
    const script = `trap '' TERM HUP; echo $$ > ${words[0]}/left; while :; do sleep 1; done`;
    spawn("setsid", ["sh", "-c", script], { stdio: "ignore" });
    return "left";
  },
};

async function until(holds) {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await delay(20);
  }
  throw new Error("it did not come to that");
}

/** As docs/examples/acp-agent.mjs does it: whoever listens late misses the first message. */
function throughRelay() {
  const socket = new WebSocket(relay, { headers: { authorization: `Bearer ${token}` } });
  socket.on("close", (code, reason) => {
    process.stderr.write(`closed ${code} ${reason.toString()}\n`);
    process.exit(0);
  });
  return {
    readable: new ReadableStream({
      start: (controller) => {
        socket.on("message", (data) => controller.enqueue(JSON.parse(data)));
      },
    }),
    writable: new WritableStream({ write: (message) => socket.send(JSON.stringify(message)) }),
  };
}

const stdio = () => acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
const connection = app.connect(relay === undefined ? stdio() : throughRelay());
await connection.closed;
