// Owns the socket to the room: one at a time, tried again with back-off, nudged while the page is
// visible. Does not queue: a keystroke that cannot be sent now must not run later.

import { PartySocket } from "partysocket";
import { FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import { RAW_SUBPROTOCOL } from "../../protocol/version.ts";
import { PARTY } from "../../protocol/workspace.ts";
import type { Connection } from "./connection.ts";
import { BACKOFF, backoff } from "./connection.ts";

/** Below the idle limits of common proxies. */
const PING_MS = 25_000;

/** A socket that slept with its laptop looks open for minutes; silence after a ping unmasks it. */
const PONG_MS = 8_000;

export interface RoomSocketOptions {
  workspace: string;
  token: string;
  onConnection: (connection: Connection) => void;
  onMessage: (data: unknown) => void;
}

export class RoomSocket {
  readonly #options: RoomSocketOptions;
  #socket: PartySocket | undefined;
  #pinger: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RoomSocketOptions) {
    this.#options = options;
    document.addEventListener("visibilitychange", this.#onWake);
    globalThis.addEventListener("online", this.#onWake);
    this.#pinger = setInterval(() => this.#ping(), PING_MS);
    this.#open();
  }

  /** Whether it left; false means it is lost, and meant to be. */
  send(message: string | Uint8Array<ArrayBuffer>): boolean {
    return this.#socket?.readyState === PartySocket.OPEN && this.#socket.send(message);
  }

  /** Tries at once instead of waiting. A waiting partysocket cannot be hurried, so a new one. */
  retry(): void {
    this.#drop();
    this.#open();
  }

  dispose(): void {
    document.removeEventListener("visibilitychange", this.#onWake);
    globalThis.removeEventListener("online", this.#onWake);
    clearInterval(this.#pinger);
    this.#drop();
  }

  #open(): void {
    const { workspace, token, onConnection, onMessage } = this.#options;
    onConnection({ state: "connecting" });
    const socket = new PartySocket({
      host: location.host,
      protocol: location.protocol === "https:" ? "wss" : "ws",
      party: PARTY,
      room: workspace,
      protocols: [RAW_SUBPROTOCOL, token],
      maxEnqueuedMessages: 0,
      minReconnectionDelay: BACKOFF.firstMs,
      reconnectionDelayGrowFactor: BACKOFF.factor,
      maxReconnectionDelay: BACKOFF.mostMs,
      shouldReconnectOnClose: (event) => !FINAL_CLOSE_CODES.has(event.code),
    });
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const current = (): boolean => this.#socket === socket;
    socket.addEventListener("open", () => {
      if (!current()) return;
      // workerd ends the connection of a client that it closes in time only if that client has
      // ever sent something: a revoked link that only looked on would hang for 10 s.
      socket.send("ping");
      onConnection({ state: "live" });
    });
    socket.addEventListener("message", ({ data }) => {
      if (!current()) return;
      this.#heard();
      onMessage(data);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (!current()) return;
      this.#heard();
      if (FINAL_CLOSE_CODES.has(code)) return onConnection({ state: "refused", code, reason });
      return onConnection({
        state: "waiting",
        retryAt: Date.now() + backoff(socket.retryCount),
        code,
      });
    });
  }

  #drop(): void {
    this.#heard();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #ping(): void {
    if (!this.send("ping") || document.hidden) return;
    this.#deadline ??= setTimeout(() => this.retry(), PONG_MS);
  }

  #heard(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** The page is looked at again, or the network is back: find out now how things stand. */
  #onWake = (): void => {
    if (document.hidden || this.#socket === undefined) return;
    if (this.#socket.readyState === PartySocket.OPEN) return this.#ping();
    if (this.#socket.shouldReconnect) this.retry();
  };
}
