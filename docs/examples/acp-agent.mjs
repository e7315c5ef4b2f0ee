// node acp-agent.mjs ADDRESS TOKEN: a coding agent in the room. It runs what you write to it as a
// command, in a terminal that everyone in the room sees, and answers with how that ended.
import { agent } from "@agentclientprotocol/sdk";
import { once } from "node:events";
import { WebSocket } from "ws";

const [address, token] = process.argv.slice(2);
const turns = new Map();

const app = agent({ name: "echo-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "echo-agent", version: "1.0.0" },
    agentCapabilities: {},
  }))
  .onRequest("session/new", () => ({ sessionId: crypto.randomUUID() }))
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    const turn = new AbortController();
    turns.set(sessionId, turn);
    const tell = (update) => client.notify("session/update", { sessionId, update });
    const say = (text) =>
      tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    const [{ text: command }] = prompt;
    try {
      // A person may be asked first; a no comes with its reason.
      const terminal = await client.createTerminal({ sessionId, command });
      turn.signal.addEventListener("abort", () => void terminal.kill());
      const call = { toolCallId: terminal.id, title: command, kind: "execute" };
      const content = [{ type: "terminal", terminalId: terminal.id }];
      await tell({ sessionUpdate: "tool_call", ...call, status: "in_progress", content });
      const { exitCode, signal } = await terminal.waitForExit();
      const { output } = await terminal.currentOutput();
      await terminal.release();
      const status = exitCode === 0 ? "completed" : "failed";
      await tell({ sessionUpdate: "tool_call_update", toolCallId: terminal.id, status });
      const lines = output.split("\n").length - 1;
      await say(`It printed ${lines} lines and ended with ${signal ?? exitCode}.`);
    } catch (error) {
      await say(`It did not run: ${error.message}`);
    }
    return { stopReason: turn.signal.aborted ? "cancelled" : "end_turn" };
  })
  .onNotification("session/cancel", ({ params }) => turns.get(params.sessionId)?.abort());

// One JSON-RPC message is one text message. The host speaks first, so listen before it can.
const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
const opened = once(socket, "open");
app.connect({
  readable: new ReadableStream({
    start: (stream) =>
      socket.on("message", (data) => data != "pong" && stream.enqueue(JSON.parse(data))),
  }),
  writable: new WritableStream({ write: (message) => socket.send(JSON.stringify(message)) }),
});
// 1013: the host is away, or its connection was cut. Connect again in a while.
socket.on("close", (code, reason) => {
  console.error(`closed: ${code} ${reason.toString()}`);
  process.exit(code === 1000 ? 0 : 1);
});
await opened;
setInterval(() => socket.send("ping"), 20_000);
console.error("connected");
