// Owns the answer to lines that are no message: JSON-RPC's own errors. The SDK passes over such a
// line, and whoever sent it would wait for ever.

import type { Socket } from "node:net";
import { deserializeMessage, INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import * as z from "zod";
import { writeLine } from "../../local/json-lines.ts";
import { Lines } from "../../local/lines.ts";

const WithId = z.object({ id: z.union([z.string(), z.number()]) });

/** Looks at what comes beside whoever serves it. A line longer than `most` ends the connection. */
export function answerUnreadable(socket: Socket, most: number): void {
  const lines = new Lines(most);
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === undefined) return void socket.destroy();
    for (const line of complete) {
      const error = whyUnreadable(line);
      if (error !== undefined) writeLine(socket, error);
    }
    return undefined;
  });
}

function whyUnreadable(line: string): object | undefined {
  if (line.trim() === "") return undefined;
  try {
    deserializeMessage(line);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return answer(null, PARSE_ERROR, "Parse error: not JSON");
    const { data } = WithId.safeParse(JSON.parse(line));
    return answer(data?.id ?? null, INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 message");
  }
}

function answer(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
