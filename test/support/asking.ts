// Owns plain HTTP to the relay under test, in whole requests and whole answers.

import type { IncomingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { within } from "./waiting.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly token?: string;
}

/** How often a body is sent that the relay ends the connection under. */
const MAX_TRIES = 5;

/**
 * Plain HTTP with headers exactly as given. A relay that answers before it has read the whole body may
 * end the connection under it, and Node drops an answer behind a write that failed: it is asked again.
 */
export async function ask(port: number, path: string, asking: Asking = {}): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(port, path, asking);
    } catch (error) {
      if (tries === MAX_TRIES || !isCutWhileWriting(error)) throw error;
    }
  }
}

function isCutWhileWriting(error: unknown): boolean {
  return error instanceof Error && /^write (ECONNRESET|EPIPE)$/.test(error.message);
}

function askOnce(
  port: number,
  path: string,
  { method = "GET", headers = {}, body, token }: Asking,
): Promise<Answer> {
  const asked = new Promise<Answer>((resolve, reject) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const setHost = !Object.keys(headers).some((name) => name.toLowerCase() === "host");
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      path,
      method,
      setHost,
      agent: false,
      headers: { ...authorization, ...headers },
    });
    request.on("error", reject);
    // Behind an answer that is complete it is no failure.
    request.on("socket", (socket) => socket.on("error", () => undefined));
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.end(body);
  });
  return within(asked, `no answer to ${method} ${path}`, 40_000);
}
