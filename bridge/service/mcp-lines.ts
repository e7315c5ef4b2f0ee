// Owns speaking MCP to a bridge on this machine: JSON-RPC, one message a line, at its `mcp.sock`.
// It calls tools and reads their answers; it serves nothing and subscribes to nothing.

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

/** What a tool said. */
export interface ToolSaid {
  readonly isError: boolean;
  /** Its first text. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** One call of a tool, and what it said. */
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

  /** `name` is whom people see; the same name is the same agent. Rejects when no bridge listens. */
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
    if (!said.ok) throw new Error(`The bridge answered ${tool} with something else: ${said.error}`);
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

  /** News and requests of the bridge are not for us. */
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
