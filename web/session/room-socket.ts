// Owns the socket to the room: one at a time, retried with back-off, pinged while the page is
// visible. Does not queue: a keystroke that cannot be sent now must not run later. Also owns the
// states of the connection to the room, their explanations, and the waits between retries.

import { FINAL_CLOSE_CODES, CloseCode } from "../../protocol/codes.ts";
import { RAW_SUBPROTOCOL } from "../../protocol/limits.ts";
import { PARTY } from "../../protocol/workspace.ts";

/** Below the idle limits of common proxies. */
const PING_MS = 25_000;

/** A relay that does not answer a connection attempt is tried again after this time. */
const CONNECT_MS = 4_000;

/** A socket that was open this long worked: the next cut restarts the back-off. */
const STABLE_MS = 5_000;

/** After a laptop's sleep a dead socket looks open for minutes; a missing pong reveals it. */
const PONG_MS = 8_000;

export interface RoomSocketOptions {
  workspace: string;
  /** The relay's ticket, or how to get it; a rejection may name a close code and a reason. */
  token: string | (() => Promise<string>);
  onConnection: (connection: Connection) => void;
  onMessage: (data: unknown) => void;
}

interface TicketRefusal {
  readonly closeCode: number;
  readonly message: string;
}

export class RoomSocket {
  readonly #options: RoomSocketOptions;
  /** The socket that is connecting or open; undefined while waiting, and after a refusal. */
  #socket: WebSocket | undefined;
  /** Failed attempts in a row. */
  #retries = 0;
  #openedAt = Infinity;
  /** Timer until the next attempt. */
  #waiting: ReturnType<typeof setTimeout> | undefined;
  /** The ticket for the next socket, while it is being made. */
  #getting: Promise<string> | undefined;
  #pinger: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #pingedAt = 0;
  /** Duration of the last ping. */
  roundTripMs: number | undefined;

  constructor(options: RoomSocketOptions) {
    this.#options = options;
    document.addEventListener("visibilitychange", this.#onWake);
    globalThis.addEventListener("online", this.#onWake);
    this.#pinger = setInterval(() => this.#ping(), PING_MS);
    this.retry();
  }

  /** Sends a message; returns false if it was lost, since nothing is queued. */
  send(message: string | Uint8Array<ArrayBuffer>): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(message);
    return true;
  }

  /** Connects immediately instead of waiting. */
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

  /** Replaces the socket after a wait; with a reason, gives up. */
  close(refusal?: string): void {
    if (refusal === undefined) this.#onClose(CloseCode.badMessage);
    else this.#onClose(CloseCode.forbidden, refusal);
  }

  #open(): void {
    const { token } = this.#options;
    if (typeof token === "string") return this.#connect(token);
    const getting = (this.#getting = token());
    const isCurrent = (): boolean => this.#getting === getting;
    getting.then(
      (ticket) => isCurrent() && this.#connect(ticket),
      ({ closeCode = 1006, message }: Partial<TicketRefusal>) =>
        isCurrent() && this.#onClose(closeCode, message),
    );
    return undefined;
  }

  #connect(token: string): void {
    const { workspace, onConnection, onMessage } = this.#options;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const address = `${scheme}://${location.host}/parties/${PARTY}/${workspace}`;
    const socket = new WebSocket(address, [RAW_SUBPROTOCOL, token]);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#deadline = setTimeout(() => this.#onClose(1006), CONNECT_MS);
    const current = (): boolean => this.#socket === socket;
    socket.addEventListener("open", () => {
      if (!current()) return;
      this.#clearDeadline();
      this.#openedAt = Date.now();
      // workerd closes a connection promptly only if the client has ever sent something: without
      // this ping, a watcher whose link was revoked would hang for 10 s.
      this.#pingedAt = performance.now();
      socket.send("ping");
      onConnection({ state: "live" });
    });
    socket.addEventListener("message", ({ data }) => {
      if (!current()) return;
      this.#clearDeadline();
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
    if (Date.now() - this.#openedAt >= STABLE_MS) this.#retries = 0;
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
    this.#clearDeadline();
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#getting = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #ping(): void {
    this.#pingedAt = performance.now();
    if (!this.send("ping") || document.hidden) return;
    this.#deadline ??= setTimeout(() => this.retry(), PONG_MS);
  }

  #clearDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** Checks the connection when the page becomes visible or the network is back. */
  #onWake = (): void => {
    if (document.hidden) return;
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#ping();
    if (this.#socket !== undefined || this.#waiting !== undefined) this.retry();
  };
}

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** `retryAt` is Unix ms; `code` is the close code, 1006 and the like for a cut. */
  | { state: "waiting"; retryAt: number; code: number }
  /** Retrying would give the same answer: the person must act. */
  | { state: "refused"; code: number; reason: string };

/**
 * Short at first, because most cuts are restarts of the relay; long when the relay is really gone.
 */
export const BACKOFF = { firstMs: 500, factor: 1.6, maxMs: 15_000 } as const;

/** Returns the wait before the n-th retry in a row. */
export function backoff(retry: number): number {
  if (retry <= 0) return 0;
  return Math.min(BACKOFF.firstMs * BACKOFF.factor ** (retry - 1), BACKOFF.maxMs);
}

/** Returns why the page is waiting, if the close code has an explanation. */
export function explainWait(code: number): string | undefined {
  switch (code) {
    case CloseCode.noSuchWorkspace:
      return "This workspace is not open on this relay yet. Did you copy the whole link, and is pairpty running on the host’s machine?";
    case CloseCode.roomFull:
      return "The room is full.";
    case CloseCode.tryLater:
      return "The room asked this page to try again later.";
    default:
      return undefined;
  }
}
