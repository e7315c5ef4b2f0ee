// Owns the socket to the room: one at a time, tried again with back-off, nudged while the page is
// visible. Does not queue: a keystroke that cannot be sent now must not run later.

import { FINAL_CLOSE_CODES } from "../../protocol/codes.ts";
import { RAW_SUBPROTOCOL } from "../../protocol/version.ts";
import { PARTY } from "../../protocol/workspace.ts";
import type { Connection } from "./connection.ts";
import { backoff } from "./connection.ts";

/** Below the idle limits of common proxies. */
const PING_MS = 25_000;

/** A relay that says nothing at all is asked again by then. */
const CONNECT_MS = 4_000;

/** Open for so long, a socket has worked: the next cut is a first one again. */
const WORKED_MS = 5_000;

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
  /** The one that is tried or open; undefined while waiting, and once the room has refused us. */
  #socket: WebSocket | undefined;
  /** Tries in a row that came to nothing. */
  #retries = 0;
  #openedAt = Infinity;
  /** Until the next try. */
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #pinger: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #pingedAt = 0;
  /** What a ping took last. */
  roundTripMs: number | undefined;

  constructor(options: RoomSocketOptions) {
    this.#options = options;
    document.addEventListener("visibilitychange", this.#onWake);
    globalThis.addEventListener("online", this.#onWake);
    this.#pinger = setInterval(() => this.#ping(), PING_MS);
    this.retry();
  }

  /** Whether it left; false means it is lost, and meant to be. */
  send(message: string | Uint8Array<ArrayBuffer>): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(message);
    return true;
  }

  /** Tries at once instead of waiting. */
  retry(): void {
    this.#drop();
    this.#retries = 0;
    this.#options.onConnection({ state: "connecting" });
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
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const address = `${scheme}://${location.host}/parties/${PARTY}/${workspace}`;
    const socket = new WebSocket(address, [RAW_SUBPROTOCOL, token]);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#deadline = setTimeout(() => this.#onClose(1006), CONNECT_MS);
    const current = (): boolean => this.#socket === socket;
    socket.addEventListener("open", () => {
      if (!current()) return;
      this.#heard();
      this.#openedAt = Date.now();
      // workerd ends the connection of a client that it closes in time only if that client has
      // ever sent something: a revoked link that only looked on would hang for 10 s.
      this.#pingedAt = performance.now();
      socket.send("ping");
      onConnection({ state: "live" });
    });
    socket.addEventListener("message", ({ data }) => {
      if (!current()) return;
      this.#heard();
      if (data === "pong") this.roundTripMs = performance.now() - this.#pingedAt;
      onMessage(data);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (current()) this.#onClose(code, reason);
    });
  }

  #onClose(code: number, reason = ""): void {
    const { onConnection } = this.#options;
    this.#drop();
    if (FINAL_CLOSE_CODES.has(code)) return onConnection({ state: "refused", code, reason });
    if (Date.now() - this.#openedAt >= WORKED_MS) this.#retries = 0;
    this.#openedAt = Infinity;
    this.#retries += 1;
    const wait = backoff(this.#retries);
    this.#waiting = setTimeout(() => {
      this.#waiting = undefined;
      this.#open();
    }, wait);
    return onConnection({ state: "waiting", retryAt: Date.now() + wait, code });
  }

  #drop(): void {
    this.#heard();
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #ping(): void {
    this.#pingedAt = performance.now();
    if (!this.send("ping") || document.hidden) return;
    this.#deadline ??= setTimeout(() => this.retry(), PONG_MS);
  }

  #heard(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** The page is looked at again, or the network is back: find out now how things stand. */
  #onWake = (): void => {
    if (document.hidden) return;
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#ping();
    if (this.#socket !== undefined || this.#waiting !== undefined) this.retry();
  };
}
