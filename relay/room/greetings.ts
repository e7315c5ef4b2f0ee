// Owns bridges that connected and are not accepted yet: their challenge, the time they have for a
// hello, and that a nonce serves once. Does not judge hellos.

import { CloseCode } from "../../protocol/codes.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { HELLO_TIMEOUT_MS } from "../../protocol/limits.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import type { Socket } from "./attachment.ts";
import { newNonce } from "./hello.ts";
import { retire, trySend } from "./sockets.ts";

/** Anybody can knock. Beyond this the one that has stood there longest makes way. */
const MAX_GREETINGS = 32;

interface Greeting {
  readonly socket: Socket;
  readonly host: string;
  /** Gone once a hello has come. */
  nonce: string | undefined;
  readonly timer: number;
}

export class Greetings {
  readonly #greetings = new Map<WebSocket, Greeting>();
  readonly #onTimeout: () => void;

  constructor(onTimeout: () => void) {
    this.#onTimeout = onTimeout;
  }

  get isEmpty(): boolean {
    return this.#greetings.size === 0;
  }

  challenge(socket: Socket, host: string): void {
    const [oldest] = this.#greetings.values();
    if (oldest !== undefined && this.#greetings.size >= MAX_GREETINGS) {
      this.leave(oldest.socket);
      retire(oldest.socket, CloseCode.tryLater, "Too many bridges are at the door.");
    }
    const nonce = newNonce();
    // In the attachment too: a room that was put to sleep must still know what it asked.
    socket.setState({ kind: "greeting", nonce, host });
    this.resume(socket, host, nonce);
    const challenge = toPayload({ version: LINK_VERSION, nonce });
    trySend(socket, encodeFrame(FrameType.challenge, 0, challenge));
  }

  /** Waits for a hello; the timer keeps the room awake, but for seconds and for strangers only. */
  resume(socket: Socket, host: string, nonce: string): void {
    const timer = setTimeout(() => {
      this.leave(socket);
      retire(socket, CloseCode.helloTimeout, "No hello came in time.");
      this.#onTimeout();
    }, HELLO_TIMEOUT_MS);
    this.#greetings.set(socket, { socket, host, nonce, timer });
  }

  has(socket: WebSocket): boolean {
    return this.#greetings.has(socket);
  }

  /** What a hello must have signed; undefined if it was used before. */
  spendNonce(socket: WebSocket): { socket: Socket; host: string; nonce: string } | undefined {
    const greeting = this.#greetings.get(socket);
    if (greeting?.nonce === undefined) return undefined;
    const { socket: known, host, nonce } = greeting;
    greeting.nonce = undefined;
    clearTimeout(greeting.timer);
    return { socket: known, host, nonce };
  }

  leave(socket: WebSocket): boolean {
    clearTimeout(this.#greetings.get(socket)?.timer ?? null);
    return this.#greetings.delete(socket);
  }
}
