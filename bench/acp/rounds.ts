// Owns a coding agent on the ACP SDK that does nothing but measure: create → wait → output → release,
// over whatever socket it has.

import { agent } from "@agentclientprotocol/sdk";
import type { AgentContext, AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { WebSocket } from "ws";

const SESSION = "bench";

export class MeasuringAgent {
  readonly #client: AgentContext;
  readonly #opened: Promise<void>;
  readonly #close: () => void;

  constructor(socket: WebSocket) {
    let opened = (): void => {};
    this.#opened = new Promise((resolve) => {
      opened = resolve;
    });
    const connection = agent({ name: "bench" })
      .onRequest("initialize", () => ({
        protocolVersion: 1,
        agentInfo: { name: "bench", version: "1" },
        agentCapabilities: {},
      }))
      .onRequest("session/new", () => {
        // Behind the answer, which is on its way then.
        setTimeout(opened, 100);
        return { sessionId: SESSION };
      })
      .connect(toStream(socket));
    this.#client = connection.client;
    this.#close = () => {
      connection.close();
      socket.close();
    };
  }

  /** Its session is there. */
  async ready(): Promise<void> {
    await this.#opened;
  }

  /** Milliseconds of one round. */
  async round(): Promise<number> {
    const beganAt = performance.now();
    const call = { sessionId: SESSION, command: "echo", args: ["up"] };
    const terminal = await this.#client.createTerminal(call);
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    await terminal.release();
    const milliseconds = performance.now() - beganAt;
    if (exitCode !== 0 || output !== "up\n") throw new Error(`echo: ${exitCode} ${output}`);
    return milliseconds;
  }

  close(): void {
    this.#close();
  }
}

/** One text message is one message of JSON-RPC. Listens at once: the other side speaks first. */
export function toStream(socket: WebSocket): Stream {
  return {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => {
        socket.on("message", (data: Buffer) => controller.enqueue(JSON.parse(data.toString())));
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) => socket.send(JSON.stringify(message)),
    }),
  };
}
