// Owns bridges that are connected and not accepted yet: their challenge, the timeout for a hello,
// single use of a nonce, and the limit for strangers. Does not judge hellos.

import { CloseCode } from "../../protocol/codes.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { HELLO_TIMEOUT_MS } from "../../protocol/limits.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import type { RateLimit } from "../rate.ts";
import { Rate } from "../rate.ts";
import type { Socket, SocketState } from "./attachment.ts";
import { newNonce } from "./hello.ts";
import { trySend } from "./sockets.ts";

/** Anyone can connect. Beyond this number the longest-waiting stranger is rejected. */
const MAX_STRANGERS = 16;

/** Limit for one room, across all Workers. Each stranger may cost a signature check. */
const STRANGERS: RateLimit = { aSecond: 20, saved: 40 };

/** What is known about a bridge before its hello. */
export type Greeted = Omit<Extract<SocketState, { kind: "greeting" }>, "kind" | "nonce">;

interface Greeting {
  readonly socket: Socket;
  readonly greeted: Greeted;
  /** Undefined once a hello has used it. */
  nonce: string | undefined;
  readonly timer: number;
}

export class Greetings {
  readonly #greetings = new Map<WebSocket, Greeting>();
  readonly #rate = new Rate(STRANGERS, Date.now());
  readonly #turnAway: (socket: Socket, code: number, reason: string) => void;

  constructor(turnAway: (socket: Socket, code: number, reason: string) => void) {
    this.#turnAway = turnAway;
  }

  get isEmpty(): boolean {
    return this.#greetings.size === 0;
  }

  /** Returns false when too many strangers came within a second. */
  mayCome(now: number): boolean {
    return this.#rate.mayTake(now);
  }

  challenge(socket: Socket, greeted: Greeted): void {
    const strangers = [...this.#greetings.values()].filter(
      ({ greeted: { stranger }, nonce }) => stranger && nonce !== undefined,
    );
    const [oldest] = strangers;
    if (oldest !== undefined && strangers.length >= MAX_STRANGERS) {
      this.#turnAway(oldest.socket, CloseCode.tryLater, "Too many bridges are connecting.");
    }
    const nonce = newNonce();
    // Also kept in the attachment, so that the room can verify the hello after hibernation.
    socket.setState({ kind: "greeting", nonce, ...greeted });
    this.resume(socket, greeted, nonce);
    const challenge = toPayload({ version: LINK_VERSION, nonce });
    trySend(socket, encodeFrame(FrameType.challenge, 0, challenge));
  }

  /** Waits for a hello. The timer keeps the room awake, but only for seconds. */
  resume(socket: Socket, greeted: Greeted, nonce: string): void {
    const timer = setTimeout(
      () => this.#turnAway(socket, CloseCode.helloTimeout, "No hello came in time."),
      HELLO_TIMEOUT_MS,
    );
    this.#greetings.set(socket, { socket, greeted, nonce, timer });
  }

  has(socket: WebSocket): boolean {
    return this.#greetings.has(socket);
  }

  isNamed(id: string): boolean {
    return [...this.#greetings.values()].some(({ socket }) => socket.id === id);
  }

  /** Returns the nonce that the hello must have signed, once; undefined if it was used before. */
  spendNonce(socket: WebSocket): { socket: Socket; greeted: Greeted; nonce: string } | undefined {
    const greeting = this.#greetings.get(socket);
    if (greeting?.nonce === undefined) return undefined;
    const { socket: known, greeted, nonce } = greeting;
    greeting.nonce = undefined;
    clearTimeout(greeting.timer);
    return { socket: known, greeted, nonce };
  }

  /** Removes and returns the bridge's socket; undefined if it was not here. */
  leave(socket: WebSocket): Socket | undefined {
    const greeting = this.#greetings.get(socket);
    if (greeting === undefined) return undefined;
    clearTimeout(greeting.timer);
    this.#greetings.delete(socket);
    return greeting.socket;
  }
}
