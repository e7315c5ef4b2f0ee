// Owns an MCP client for a bridge on this machine: JSON-RPC, one message per line, at `mcp.sock`.
// Calls tools and reads their answers; serves nothing and subscribes to nothing.

import type { Socket } from "node:net";
import * as z from "zod/mini";
import { parseValue } from "../../protocol/json.ts";
import type { Introduction } from "../doors/mcp/introduction.ts";
import { connectLocal, readLines, writeLine } from "../local/json-lines.ts";
import { VERSION } from "../version.ts";

const PROTOCOL = "2025-11-25";

const Answer = z.object({
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
export interface ToolSaid {
  readonly isError: boolean;
  /** The first text block. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Calls a tool and returns its answer. */
export type CallTool = (tool: string, args: object) => Promise<ToolSaid>;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class McpLines {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    readLines(socket, (value) => this.#heard(value));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#failAll(new Error("The bridge has closed the connection")));
  }

  /**
   * Connects as the agent `name`; the same name is the same agent. Rejects if no bridge listens.
   */
  static async connect(path: string, name: string): Promise<McpLines> {
    const lines = new McpLines(await connectLocal(path));
    const introduction: Introduction = { pairpty: { name } };
    writeLine(lines.#socket, introduction);
    await lines.#request("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name, version: VERSION },
    });
    writeLine(lines.#socket, { jsonrpc: "2.0", method: "notifications/initialized" });
    return lines;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  async call(tool: string, args: object): Promise<ToolSaid> {
    const result = await this.#request("tools/call", { name: tool, arguments: args });
    const said = parseValue(ToolAnswer, result);
    if (!said.ok) throw new Error(`Unexpected answer from the bridge to ${tool}: ${said.error}`);
    const { content = [], structuredContent = {}, isError = false } = said.value;
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
  #heard(value: unknown): void {
    const answer = parseValue(Answer, value);
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
