// Owns the least client of ACP: the SDK's own over a socket of loopback, which runs commands as its
// children with pipes. No relay, no policy, no terminal, nobody who watches.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { client } from "@agentclientprotocol/sdk";
import { WebSocket, WebSocketServer } from "ws";
import { MeasuringAgent, toStream } from "./rounds.ts";

interface Run {
  output: string;
  readonly ended: Promise<number | null>;
}

export class Loopback {
  readonly #server: WebSocketServer;
  readonly agent: MeasuringAgent;

  private constructor(server: WebSocketServer, agent: MeasuringAgent) {
    this.#server = server;
    this.agent = agent;
  }

  static async start(cwd: string): Promise<Loopback> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    server.on("connection", (socket) => void serve(socket, cwd));
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const agent = new MeasuringAgent(new WebSocket(`ws://127.0.0.1:${port}`));
    await agent.ready();
    return new Loopback(server, agent);
  }

  stop(): void {
    this.agent.close();
    this.#server.close();
  }
}

async function serve(socket: WebSocket, cwd: string): Promise<void> {
  const runs = new Map<string, Run>();
  const toRun = (id: string): Run => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`no terminal ${id}`);
    return run;
  };
  const { agent } = client({ name: "least" })
    .onRequest("terminal/create", ({ params: { command, args = [] } }) => {
      const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
      const ended = new Promise<number | null>((resolve) => {
        child.once("close", resolve);
      });
      const run: Run = { output: "", ended };
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          run.output += chunk.toString();
        });
      }
      const terminalId = `t${runs.size + 1}`;
      runs.set(terminalId, run);
      return { terminalId };
    })
    .onRequest("terminal/wait_for_exit", async ({ params }) => ({
      exitCode: await toRun(params.terminalId).ended,
      signal: null,
    }))
    .onRequest("terminal/output", ({ params }) => ({
      output: toRun(params.terminalId).output,
      truncated: false,
    }))
    .onRequest("terminal/release", () => ({}))
    .connect(toStream(socket));
  await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { terminal: true },
    clientInfo: { name: "least", version: "1" },
  });
  await agent.request("session/new", { cwd, mcpServers: [] });
}
