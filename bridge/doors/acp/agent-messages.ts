// Owns converting between text and an agent's JSON-RPC messages. Invalid messages get JSON-RPC
// errors, and an agent that sends nothing else is closed. Does not know sockets or methods.

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { parseJson } from "../../../protocol/json.ts";

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Invalid lines before the first message: a program may print a greeting; more is another protocol.
 */
export const MAX_INVALID_BEFORE_FIRST = 20;
/** Invalid lines per connection: tolerates a library that logs to the wrong stream, not a flood. */
const MAX_INVALID_LINES = 1_000;
/** Messages not read yet: more than a socket delivers at once. */
const MAX_WAITING = 20_000;
const QUOTED_CHARS = 60;

export interface AgentMessagesDeps {
  /** Sends one message to the agent, without a newline. */
  readonly send: (text: string) => void;
  /** Closes the connection, with the reason. */
  readonly abort: (reason: string) => void;
}

export class AgentMessages {
  readonly stream: Stream;
  readonly #deps: AgentMessagesDeps;
  #incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  #hasSentMessage = false;
  #invalidLines = 0;
  #firstInvalid = "";

  constructor(deps: AgentMessagesDeps) {
    this.#deps = deps;
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#incoming = controller;
        },
        cancel: () => {
          this.#incoming = undefined;
        },
      }),
      writable: new WritableStream<AnyMessage>({
        write: (message) => deps.send(JSON.stringify(message)),
      }),
    };
  }

  /** Handles one line from the agent. */
  receive(text: string): void {
    if (text.trim() === "") return;
    const parsed = parseJson(text);
    if (!parsed.ok) return this.#sendError(text, PARSE_ERROR, "Parse error: not JSON");
    const { value } = parsed;
    if (!isMessage(value)) {
      const why = "Invalid request: not a JSON-RPC 2.0 message (batches are not read)";
      return this.#sendError(text, INVALID_REQUEST, why, getId(value));
    }
    this.#hasSentMessage = true;
    if (this.#incoming === undefined) return undefined;
    this.#incoming.enqueue(value);
    if ((this.#incoming.desiredSize ?? 0) < -MAX_WAITING) {
      this.#deps.abort("it sends messages faster than they can be read");
    }
    return undefined;
  }

  /** Ends the stream for its reader: the agent is gone. */
  end(): void {
    this.#incoming?.close();
    this.#incoming = undefined;
  }

  #sendError(text: string, code: number, message: string, id: JsonRpcId = null): void {
    this.#invalidLines += 1;
    if (this.#invalidLines === 1) this.#firstInvalid = quote(text);
    const maxInvalid = this.#hasSentMessage ? MAX_INVALID_LINES : MAX_INVALID_BEFORE_FIRST;
    if (this.#invalidLines > maxInvalid) {
      return this.#deps.abort(`it does not speak ACP: its first line was ${this.#firstInvalid}`);
    }
    return this.#deps.send(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

type JsonRpcId = string | number | null;

/**
 * Whether the value is a JSON-RPC message. Ids of other types are rejected: answers would repeat
 * them, and they may be nested too deep to encode.
 */
function isMessage(value: unknown): value is AnyMessage {
  if (!isRecord(value) || value["jsonrpc"] !== "2.0") return false;
  return value["id"] === undefined || value["id"] === null || getId(value) !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function getId(value: unknown): JsonRpcId {
  const id = isRecord(value) ? value["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Quotes text for people, without control characters. */
function quote(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return JSON.stringify(plain.length > QUOTED_CHARS ? `${plain.slice(0, QUOTED_CHARS)}…` : plain);
}
