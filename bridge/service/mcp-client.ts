// Owns an MCP client for a bridge on this machine: JSON-RPC, one message per line, at `mcp.sock`.
// Calls tools and reads their answers; serves nothing and subscribes to nothing.

import type { Socket } from "node:net";
import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import type { Introduction } from "../doors/mcp/mcp-introduction.ts";
import { connectLocal, readLines, writeLine } from "../local/local-socket.ts";
import { VERSION } from "../build-info.ts";

const PROTOCOL = "2025-11-25";

const RpcResponse = z.object({
  id: z.int(),
  result: z.optional(z.unknown()),
  error: z.optional(z.object({ message: z.string() })),
});

const ToolAnswer = z.object({
  content: z.optional(z.array(z.object({ type: z.string(), text: z.optional(z.string()) }))),
  structuredContent: z.optional(z.record(z.string(), z.unknown())),
  isError: z.optional(z.boolean()),
});

/** A tool's answer. */
export interface ToolCallResult {
  readonly isError: boolean;
  /** The first text block. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Calls a tool and returns its answer. */
export type CallTool = (tool: string, args: object) => Promise<ToolCallResult>;

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class McpClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PendingRequest>();
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    readLines(socket, (value) => this.#receive(value));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#failAll(new Error("The bridge has closed the connection")));
  }

  /**
   * Connects as the agent `name`; the same name is the same agent. Rejects if no bridge listens.
   */
  static async connect(path: string, name: string): Promise<McpClient> {
    const client = new McpClient(await connectLocal(path));
    const introduction: Introduction = { pairpty: { name } };
    writeLine(client.#socket, introduction);
    await client.#request("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name, version: VERSION },
    });
    writeLine(client.#socket, { jsonrpc: "2.0", method: "notifications/initialized" });
    return client;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async call(tool: string, args: object): Promise<ToolCallResult> {
    const result = await this.#request("tools/call", { name: tool, arguments: args });
    const answer = parseValue(ToolAnswer, result);
    if (!answer.ok)
      throw new Error(`Unexpected answer from the bridge to ${tool}: ${answer.error}`);
    const { content = [], structuredContent = {}, isError = false } = answer.value;
    return { isError, text: content[0]?.text ?? "", structured: structuredContent };
  }

  close(): void {
    this.#socket.destroy();
  }

  #request(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(new Error("The bridge has closed the connection"));
      this.#waiting.set(id, { resolve, reject });
      writeLine(this.#socket, { jsonrpc: "2.0", id, method, params });
      return undefined;
    });
  }

  /** Handles a response; the bridge's notifications and requests are ignored. */
  #receive(value: unknown): void {
    const answer = parseValue(RpcResponse, value);
    if (!answer.ok) return;
    const { id, result, error } = answer.value;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
