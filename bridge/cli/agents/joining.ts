// Owns joining an agent's standard input and output to the bridge's socket: the agent's lines pass as
// they are, the bridge's words beside them are read here, and the first end of either is the outcome.

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { parseText } from "../../../protocol/json.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { AgentGone } from "../../doors/acp/words.ts";
import { BridgeWords, isWords } from "../../doors/acp/words.ts";
import { Lines } from "../../local/lines.ts";

/** An answer with a whole file in it, quoted. */
const MOST_LINE = 64 * MiB;

/** What ended it. */
export type AgentEnd =
  /** The turn of a prompt is over. */
  | { readonly is: "turn"; readonly reason: string }
  | { readonly is: "no turn"; readonly error: string }
  /** The agent's process ended. */
  | { readonly is: "agent"; readonly how: string; readonly hasSpoken: boolean }
  /** The bridge closed it; without a sentence the bridge itself is gone. */
  | { readonly is: "bridge"; readonly sentence?: string }
  /** The user stopped it. */
  | { readonly is: "stopped" };

export interface JoinedAgent {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<string>;
}

export interface JoiningWish {
  /** The bridge has let it in. */
  readonly onHere: (link: string) => void;
  readonly onText: (text: string) => void;
  /** People are asked; nothing goes on until they answer. */
  readonly onAsks: (id: string, what: string) => void;
  readonly stopped: Promise<unknown>;
}

export async function join(
  agent: JoinedAgent,
  socket: Socket,
  wish: JoiningWish,
): Promise<AgentEnd> {
  let hasSpoken = false;
  agent.stdout.on("data", () => {
    hasSpoken = true;
  });
  agent.stdout.pipe(socket, { end: false });
  const atBridge = new Promise<AgentEnd>((resolve) => {
    let sentence: string | undefined;
    const hear = (line: string): void => {
      const said = parseText(BridgeWords, line);
      if (!said.ok) return;
      const { here, text, turn, asks, closed } = said.value.pairpty;
      if (here !== undefined) wish.onHere(here.link);
      if (text !== undefined) wish.onText(text);
      if (asks !== undefined) wish.onAsks(asks.id, asks.what);
      if (closed !== undefined) sentence = closed;
      if (turn === undefined) return;
      resolve("reason" in turn ? { is: "turn", ...turn } : { is: "no turn", ...turn });
    };
    const lines = new Lines(MOST_LINE);
    socket.on("data", (chunk: Buffer) => {
      const complete = lines.push(chunk);
      if (complete === undefined) return void socket.destroy();
      for (const line of complete) {
        if (isWords(line)) hear(line);
        else if (!agent.stdin.write(`${line}\n`)) waitFor(agent.stdin, socket);
      }
      return undefined;
    });
    socket.on("close", () => {
      resolve({ is: "bridge", ...(sentence === undefined ? {} : { sentence }) });
    });
    socket.on("error", () => socket.destroy());
  });
  const atAgent = agent.ended.then((how): AgentEnd => {
    const gone: AgentGone = { pairpty: { gone: `the agent ended (${how})` } };
    // On a line of its own, wherever the agent was.
    if (socket.writable) socket.write(`\n${JSON.stringify(gone)}\n`);
    return { is: "agent", how, hasSpoken };
  });
  const byUser = wish.stopped.then((): AgentEnd => ({ is: "stopped" }));
  const end = await Promise.race([atBridge, atAgent, byUser]);
  agent.stdout.unpipe(socket);
  agent.stdout.resume();
  return end;
}

/** An agent that reads slowly holds the bridge back, and nothing piles up here. */
function waitFor(stdin: Writable, socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  stdin.once("drain", () => socket.resume());
}
