// A coding agent for tests of the page, on the ACP SDK, through the relay: node page-agent.mjs URL TOKEN.
// Its prompts name what it does, and it does what a page has to show.

import { setTimeout as delay } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";
import { WebSocket } from "ws";

const [url, token] = process.argv.slice(2);

const cancelled = new Set();
let sessions = 0;

const app = acp
  .agent({ name: "page-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "page-agent", version: "1.2.3" },
  }))
  .onRequest("session/new", ({ client }) => {
    sessions += 1;
    const sessionId = `s${sessions}`;
    const availableCommands = [
      { name: "shorten", description: "Say less", input: { hint: "how much" } },
    ];
    const update = { sessionUpdate: "available_commands_update", availableCommands };
    setTimeout(() => void client.notify("session/update", { sessionId, update }), 50);
    const availableModes = [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ];
    return { sessionId, modes: { currentModeId: "ask", availableModes } };
  })
  .onRequest("session/set_mode", ({ params: { sessionId, modeId }, client }) => {
    const update = { sessionUpdate: "current_mode_update", currentModeId: modeId };
    void client.notify("session/update", { sessionId, update });
    return {};
  })
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    cancelled.delete(sessionId);
    const say = (update) => client.notify("session/update", { sessionId, update });
    const call = (method, more) => client.request(method, { sessionId, ...more });
    const text = async (kind, words) => {
      for (const word of words.split(/(?<= )/))
        await say({ sessionUpdate: kind, content: { type: "text", text: word } });
    };
    const [first] = prompt;
    const deed = DEEDS[first.text.trim()] ?? DEEDS.echo;
    await deed({ say, call, text, words: first.text, sessionId });
    return { stopReason: cancelled.has(sessionId) ? "cancelled" : "end_turn" };
  })
  .onNotification("session/cancel", ({ params }) => void cancelled.add(params.sessionId));

const DEEDS = {
  echo: ({ text, words }) => text("agent_message_chunk", `You said: **${words}**`),
  wait: async ({ sessionId }) => {
    while (!cancelled.has(sessionId)) await delay(20);
  },
  work: async ({ say, call, text }) => {
    await text("agent_thought_chunk", "I look first. <b>Then</b> I mend.");
    const steps = (...states) => ({
      sessionUpdate: "plan",
      entries: ["Run it", "Mend it"].map((content, at) => ({
        content,
        priority: "medium",
        status: states[at],
      })),
    });
    await say(steps("in_progress", "pending"));
    const command =
      "exec 3<>gate; for i in 1 2 3; do echo \"line $i\"; read -r _ <&3; done; printf '\\033[31mred\\033[0m\\n'; exit 3";
    await call("terminal/create", { command: "mkfifo", args: ["gate"] });
    const { terminalId } = await call("terminal/create", { command });
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "run",
      title: "Run it",
      kind: "execute",
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    });
    await call("terminal/wait_for_exit", { terminalId });
    await call("terminal/release", { terminalId });
    await say({ sessionUpdate: "tool_call_update", toolCallId: "run", status: "failed" });
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "edit",
      title: "Mend a.txt",
      kind: "edit",
      status: "completed",
      locations: [{ path: "/work/a.txt", line: 2 }],
      content: [{ type: "diff", path: "/work/a.txt", oldText: "a\nb\n", newText: "a\nc\n" }],
    });
    await say(steps("completed", "completed"));
    await text("agent_message_chunk", "It is done. <img src=x onerror=pwned=1>\n\n- one\n- two\n");
  },
  /** What a screenshot shows of a conversation. */
  "Why does the test fail? Mend it.": async ({ say, call, text }) => {
    await text("agent_thought_chunk", "The test says what it expects. I run it first.");
    const steps = (...states) => ({
      sessionUpdate: "plan",
      entries: ["Run the test", "Mend sum.js", "Run it again"].map((content, at) => ({
        content,
        priority: "medium",
        status: states[at],
      })),
    });
    const test = async (toolCallId, status) => {
      const { terminalId } = await call("terminal/create", { command: "node", args: ["test.js"] });
      const content = [{ type: "terminal", terminalId }];
      const title = "node test.js";
      const state = { toolCallId, title, kind: "execute", status: "in_progress", content };
      await say({ sessionUpdate: "tool_call", ...state });
      await call("terminal/wait_for_exit", { terminalId });
      await call("terminal/release", { terminalId });
      await say({ sessionUpdate: "tool_call_update", toolCallId, status });
    };
    await say(steps("in_progress", "pending", "pending"));
    await test("first", "failed");
    await say(steps("completed", "in_progress", "pending"));
    const edit = {
      path: "sum.js",
      oldText: "export const sum = (a, b) => a - b;\n",
      newText: "export const sum = (a, b) => a + b;\n",
    };
    await call("fs/write_text_file", { path: `${process.cwd()}/sum.js`, content: edit.newText });
    await say({
      sessionUpdate: "tool_call",
      toolCallId: "edit",
      title: "Mend sum.js",
      kind: "edit",
      status: "completed",
      locations: [{ path: "sum.js", line: 1 }],
      content: [{ type: "diff", ...edit }],
    });
    await say(steps("completed", "completed", "in_progress"));
    await test("again", "completed");
    await say(steps("completed", "completed", "completed"));
    await text("agent_message_chunk", "`sum` subtracted. It adds now, and the test passes.");
  },
  ask: async ({ say, call, text }) => {
    const toolCall = {
      toolCallId: "ask",
      title: "Clean the build",
      kind: "execute",
      status: "pending",
      rawInput: { command: "make clean" },
    };
    await say({ sessionUpdate: "tool_call", ...toolCall });
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    const { outcome } = await call("session/request_permission", { toolCall, options });
    await say({ sessionUpdate: "tool_call_update", toolCallId: "ask", status: "completed" });
    await text("agent_message_chunk", `Answer: ${outcome.optionId ?? outcome.outcome}`);
  },
};

const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
socket.on("close", () => process.exit(0));
const readable = new ReadableStream({
  start: (controller) => {
    socket.on("message", (data) => controller.enqueue(JSON.parse(data)));
  },
});
const writable = new WritableStream({ write: (message) => socket.send(JSON.stringify(message)) });
await app.connect({ readable, writable }).closed;
