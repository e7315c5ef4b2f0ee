// Owns the verdicts on bridges' sockets for the Worker: the owner's, or to be cut off. A rejected
// socket gets a moment to read the reason.

import type { BridgeVerdict } from "../edge/bridge-socket.ts";
import { PostCloseAllowance } from "../rate-limiter.ts";
import type { Socket } from "./socket-state.ts";

/** Time for the close to arrive and be answered, over any network. */
const CLOSE_TIMEOUT_MS = 1_000;

interface LeavingSocket {
  readonly id: string;
  readonly patience: PostCloseAllowance;
  readonly timer: number;
  bytes: number;
}

export class BridgeVerdicts {
  readonly #waiting = new Map<string, (verdict: BridgeVerdict) => void>();
  readonly #leaving = new Map<WebSocket, LeavingSocket>();

  isLeaving(id: string): boolean {
    return [...this.#leaving.values()].some((leaving) => leaving.id === id);
  }

  wait(id: string): Promise<BridgeVerdict> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  settleOwner({ id }: Pick<Socket, "id">): void {
    this.#settle(id, { isOwner: true });
  }

  /** Starts a rejected socket's time to leave. `bytes`: size of a message too long to read. */
  onRejected(socket: Socket, bytes: number): void {
    const timer = setTimeout(() => this.onLeft(socket), CLOSE_TIMEOUT_MS);
    const { id } = socket;
    this.#leaving.set(socket, { id, bytes, timer, patience: new PostCloseAllowance() });
  }

  /** Handles messages from a rejected socket, which is cut off if there are too many. */
  onMessage(socket: WebSocket, bytes: number): void {
    const leaving = this.#leaving.get(socket);
    if (leaving === undefined || leaving.patience.allows(bytes)) return;
    leaving.bytes += bytes;
    this.onLeft(socket);
  }

  /** Settles the verdict when the rejected socket is gone or its time is over. */
  onLeft(socket: WebSocket): void {
    const leaving = this.#leaving.get(socket);
    if (leaving === undefined) return;
    clearTimeout(leaving.timer);
    this.#leaving.delete(socket);
    this.#settle(leaving.id, { isOwner: false, bytes: leaving.bytes });
  }

  /** Settles the verdict for a bridge that left before it was judged. */
  settleUnjudged({ id }: Pick<Socket, "id">): void {
    this.#settle(id, { isOwner: false, bytes: 0 });
  }

  #settle(id: string, verdict: BridgeVerdict): void {
    this.#waiting.get(id)?.(verdict);
    this.#waiting.delete(id);
  }
}
