// pairpty agent -- node stdio-agent.mjs: a coding agent on standard input and output, without packages. It
// runs what you write to it as a command, in a terminal that everyone in the room sees.
import { createInterface } from "node:readline";

const waiting = new Map();
let last = 0;

// One JSON-RPC message is one line. Standard error is free: pairpty keeps it in the agent's log.
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    waiting.set((last += 1), { resolve, reject });
    send({ id: last, method, params });
  });

const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: crypto.randomUUID() }),
  async "session/prompt"({ sessionId, prompt: [{ text: command }] }) {
    const say = (text) => {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      send({ method: "session/update", params: { sessionId, update } });
    };
    try {
      // A person may be asked first; a no comes with its reason.
      const { terminalId } = await ask("terminal/create", { sessionId, command });
      const { exitCode, signal } = await ask("terminal/wait_for_exit", { sessionId, terminalId });
      const { output } = await ask("terminal/output", { sessionId, terminalId });
      await ask("terminal/release", { sessionId, terminalId });
      say(`${output}It ended with ${signal ?? exitCode}.`);
    } catch (error) {
      say(`It did not run: ${error.message}`);
    }
    return { stopReason: "end_turn" };
  },
};

async function receive(line) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    if (error) waiting.get(id)?.reject(error);
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  } else if (methods[method]) send({ id, result: await methods[method](params) });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}

createInterface({ input: process.stdin }).on("line", (line) => void receive(line));
