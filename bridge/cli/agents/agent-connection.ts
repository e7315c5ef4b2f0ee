// Connects an agent's standard input and output to the bridge's socket: passes the agent's lines
// through, handles the bridge's own lines, and resolves when either side ends.

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { parseText } from "../../../protocol/json.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { AgentGoneLine } from "../../doors/acp/agent-lines.ts";
import { BridgeLine, isPairptyLine } from "../../doors/acp/agent-lines.ts";
import { LineSplitter } from "../../local/line-splitter.ts";

/** Fits a response with a whole quoted file. */
const MAX_LINE_BYTES = 64 * MiB;

/** Why the connection ended. */
export type AgentEnd =
  /** The turn of the prompt is over. */
  | { readonly is: "turn"; readonly reason: string }
  | { readonly is: "no turn"; readonly error: string }
  /** The agent's process exited. */
  | { readonly is: "agent"; readonly how: string; readonly hasSpoken: boolean }
  /** The bridge closed the connection; without a message, the bridge itself is gone. */
  | { readonly is: "bridge"; readonly sentence?: string }
  /** The user stopped the agent. */
  | { readonly is: "stopped" };

export interface AgentStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<string>;
}

export interface ConnectionHandlers {
  /** Fires when the bridge has accepted the agent. */
  readonly onAccepted: (link: string) => void;
  readonly onText: (text: string) => void;
  /** Fires when the agent waits for an approval. */
  readonly onApprovalRequested: (id: string, what: string) => void;
  readonly stopped: Promise<unknown>;
}

export async function connectAgent(
  agent: AgentStreams,
  socket: Socket,
  handlers: ConnectionHandlers,
): Promise<AgentEnd> {
  let hasSpoken = false;
  agent.stdout.on("data", () => {
    hasSpoken = true;
  });
  agent.stdout.pipe(socket, { end: false });
  const atBridge = new Promise<AgentEnd>((resolve) => {
    let message: string | undefined;
    const handleLine = (line: string): void => {
      const parsed = parseText(BridgeLine, line);
      if (!parsed.ok) return;
      const { here, text, turn, asks, closed } = parsed.value.pairpty;
      if (here !== undefined) handlers.onAccepted(here.link);
      if (text !== undefined) handlers.onText(text);
      if (asks !== undefined) handlers.onApprovalRequested(asks.id, asks.what);
      if (closed !== undefined) message = closed;
      if (turn === undefined) return;
      resolve("reason" in turn ? { is: "turn", ...turn } : { is: "no turn", ...turn });
    };
    const lines = new LineSplitter(MAX_LINE_BYTES);
    socket.on("data", (chunk: Buffer) => {
      const complete = lines.push(chunk);
      if (complete === undefined) return void socket.destroy();
      for (const line of complete) {
        if (isPairptyLine(line)) handleLine(line);
        else if (!agent.stdin.write(`${line}\n`)) pauseUntilDrained(agent.stdin, socket);
      }
      return undefined;
    });
    socket.on("close", () => {
      resolve({ is: "bridge", ...(message === undefined ? {} : { sentence: message }) });
    });
    socket.on("error", () => socket.destroy());
  });
  const atAgent = agent.ended.then((how): AgentEnd => {
    const gone: AgentGoneLine = { pairpty: { gone: `the agent exited (${how})` } };
    // On a line of its own, even if the agent's last line is unfinished.
    if (socket.writable) socket.write(`\n${JSON.stringify(gone)}\n`);
    return { is: "agent", how, hasSpoken };
  });
  const byUser = handlers.stopped.then((): AgentEnd => ({ is: "stopped" }));
  const end = await Promise.race([atBridge, atAgent, byUser]);
  agent.stdout.unpipe(socket);
  agent.stdout.resume();
  return end;
}

/** Pauses the socket until a slow agent has read, so that nothing accumulates here. */
function pauseUntilDrained(stdin: Writable, socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  stdin.once("drain", () => socket.resume());
}
