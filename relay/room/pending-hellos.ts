// Owns bridges that are connected and not accepted yet: their challenge, the timeout for a hello,
// single use of a nonce, and the limit for strangers. Does not judge hellos.

import { CloseCode } from "../../protocol/codes.ts";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { HELLO_TIMEOUT_MS, LINK_VERSION } from "../../protocol/limits.ts";
import type { RateLimit } from "../rate-limiter.ts";
import { RateLimiter } from "../rate-limiter.ts";
import type { Socket, SocketState } from "./socket-state.ts";
import { newNonce } from "./hello.ts";
import { trySend } from "./sockets.ts";

/** Anyone can connect. Beyond this number the longest-waiting stranger is rejected. */
const MAX_STRANGERS = 16;

/** Limit for one room, across all Workers. Each stranger may cost a signature check. */
const STRANGERS: RateLimit = { aSecond: 20, saved: 40 };

/** What is known about a bridge before its hello. */
export type DialInfo = Omit<Extract<SocketState, { kind: "greeting" }>, "kind" | "nonce">;

interface PendingHello {
  readonly socket: Socket;
  readonly dial: DialInfo;
  /** Undefined once a hello has used it. */
  nonce: string | undefined;
  readonly timer: number;
}

export class PendingHellos {
  readonly #pending = new Map<WebSocket, PendingHello>();
  readonly #rate = new RateLimiter(STRANGERS, Date.now());
  readonly #reject: (socket: Socket, code: number, reason: string) => void;

  constructor(reject: (socket: Socket, code: number, reason: string) => void) {
    this.#reject = reject;
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Returns false when too many strangers came within a second. */
  allowsStranger(now: number): boolean {
    return this.#rate.tryTake(now);
  }

  challenge(socket: Socket, dial: DialInfo): void {
    const strangers = [...this.#pending.values()].filter(
      ({ dial: { stranger }, nonce }) => stranger && nonce !== undefined,
    );
    const [oldest] = strangers;
    if (oldest !== undefined && strangers.length >= MAX_STRANGERS) {
      this.#reject(oldest.socket, CloseCode.tryLater, "Too many bridges are connecting.");
    }
    const nonce = newNonce();
    // Also kept in the attachment, so that the room can verify the hello after hibernation.
    socket.setState({ kind: "greeting", nonce, ...dial });
    this.resume(socket, dial, nonce);
    const challenge = toPayload({ version: LINK_VERSION, nonce });
    trySend(socket, encodeFrame(FrameType.challenge, 0, challenge));
  }

  /** Waits for a hello. The timer keeps the room awake, but only for seconds. */
  resume(socket: Socket, dial: DialInfo, nonce: string): void {
    const timer = setTimeout(
      () => this.#reject(socket, CloseCode.helloTimeout, "No hello came in time."),
      HELLO_TIMEOUT_MS,
    );
    this.#pending.set(socket, { socket, dial, nonce, timer });
  }

  has(socket: WebSocket): boolean {
    return this.#pending.has(socket);
  }

  hasId(id: string): boolean {
    return [...this.#pending.values()].some(({ socket }) => socket.id === id);
  }

  /** Returns the nonce that the hello must have signed, once; undefined if it was used before. */
  spendNonce(socket: WebSocket): { socket: Socket; greeted: DialInfo; nonce: string } | undefined {
    const pending = this.#pending.get(socket);
    if (pending?.nonce === undefined) return undefined;
    const { socket: known, dial, nonce } = pending;
    pending.nonce = undefined;
    clearTimeout(pending.timer);
    return { socket: known, greeted: dial, nonce };
  }

  /** Removes and returns the bridge's socket; undefined if it was not here. */
  remove(socket: WebSocket): Socket | undefined {
    const pending = this.#pending.get(socket);
    if (pending === undefined) return undefined;
    clearTimeout(pending.timer);
    this.#pending.delete(socket);
    return pending.socket;
  }
}
