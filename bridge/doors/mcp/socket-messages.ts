// Owns which of a local agent's lines reach the SDK: valid messages, one at a time, so that a flood
// does not delay other agents. Invalid lines get JSON-RPC errors here: the SDK would skip them, and
// their sender would wait forever. Also owns a local agent's open requests: their number is
// limited, and each needs its own id. Open requests use memory, and the SDK has no limit.

import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { deserializeMessage, INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import * as z from "zod";
import { writeLine, LineSplitter } from "../../local/local-socket.ts";
import type { SerialQueue } from "../../reading/serial-queue.ts";

const WithId = z.object({ id: z.union([z.string(), z.number()]) });

/**
 * Returns the messages of a socket, without those that `findRefusal` refuses. A line over
 * `maxBytes` ends the connection. All agents share `turns`.
 */
export function toMessageStream(
  socket: Socket,
  maxBytes: number,
  turns: SerialQueue,
  findRefusal: (message: JSONRPCMessage) => Refusal | undefined = () => undefined,
): Readable {
  const lines = new LineSplitter(maxBytes);
  const messages = new PassThrough();
  let waiting: string[] = [];
  let isEnded = false;
  const readInTurn = () => void turns.run(read);
  const read = (): void => {
    if (messages.destroyed) return;
    // Answers that the agent does not read are buffered here, so stop reading until it has drained
    // them.
    if (socket.writableNeedDrain) return void socket.once("drain", readInTurn);
    // One message per turn: `tools/list` takes milliseconds, and many agents may call it.
    const line = waiting.shift();
    if (line !== undefined) {
      const error = findLineError(line, findRefusal);
      if (error === undefined) messages.write(`${line}\n`);
      else writeLine(socket, error);
    }
    if (waiting.length > 0) readInTurn();
    else if (isEnded) messages.end();
    else socket.resume();
  };
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    waiting = waiting.concat(complete.filter((line) => line.trim() !== ""));
    socket.pause();
    readInTurn();
    return undefined;
  });
  socket.on("end", () => {
    isEnded = true;
    if (waiting.length === 0) messages.end();
  });
  // After the agent ended its side, the remaining messages are still handled.
  socket.on("close", () => (isEnded ? undefined : messages.destroy()));
  return messages;
}

function findLineError(
  line: string,
  findRefusal: (message: JSONRPCMessage) => Refusal | undefined,
): object | undefined {
  let message: JSONRPCMessage;
  try {
    message = deserializeMessage(line);
  } catch (error) {
    if (error instanceof SyntaxError)
      return toErrorMessage(null, PARSE_ERROR, "Parse error: not JSON");
    const { data } = WithId.safeParse(JSON.parse(line));
    return toErrorMessage(
      data?.id ?? null,
      INVALID_REQUEST,
      "Invalid request: not a JSON-RPC 2.0 message",
    );
  }
  const refused = findRefusal(message);
  return refused === undefined
    ? undefined
    : toErrorMessage(refused.id, refused.code, refused.message);
}

function toErrorMessage(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Same as for a coding agent (dialects/acp/agent-connection.ts). */
export const MAX_OPEN_REQUESTS = 64;
/** One of the codes that JSON-RPC reserves for servers. */
const TOO_MANY = -32_000;

interface Refusal {
  readonly id: string | number;
  readonly code: number;
  readonly message: string;
}

export class OpenRequests {
  readonly #ids = new Set<unknown>();

  /** Records a message of the agent. Returns a refusal for a request that may not start. */
  onReceived(message: JSONRPCMessage): Refusal | undefined {
    if (!("method" in message)) return undefined;
    if (!("id" in message)) {
      // A cancelled request gets no answer.
      if (message.method === "notifications/cancelled")
        this.#ids.delete(message.params?.["requestId"]);
      return undefined;
    }
    const { id } = message;
    if (this.#ids.has(id)) {
      return { id, code: INVALID_REQUEST, message: "Another request with this id is open" };
    }
    if (this.#ids.size >= MAX_OPEN_REQUESTS) {
      const reason = `${MAX_OPEN_REQUESTS} requests are open; wait for one to end`;
      return { id, code: TOO_MANY, message: reason };
    }
    this.#ids.add(id);
    return undefined;
  }

  /** Records a message to the agent. */
  onSent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#ids.delete(message.id);
  }
}
