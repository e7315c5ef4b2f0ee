// Owns the verdicts on bridges' sockets for the Worker: the owner's, or to be cut off. A rejected
// socket gets a moment to read the reason.

import type { Verdict } from "../edge/bridge-socket.ts";
import { Patience } from "../patience.ts";
import type { Socket } from "./attachment.ts";

/** Time for the close to arrive and be answered, over any network. */
const GOING_MS = 1_000;

interface Leaving {
  readonly id: string;
  readonly patience: Patience;
  readonly timer: number;
  bytes: number;
}

export class Verdicts {
  readonly #waiting = new Map<string, (verdict: Verdict) => void>();
  readonly #leaving = new Map<WebSocket, Leaving>();

  isLeaving(id: string): boolean {
    return [...this.#leaving.values()].some((leaving) => leaving.id === id);
  }

  on(id: string): Promise<Verdict> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  isOwner({ id }: Pick<Socket, "id">): void {
    this.#tell(id, { isOwner: true });
  }

  /** Starts a rejected socket's time to leave. `bytes`: size of a message too long to read. */
  turnedAway(socket: Socket, bytes: number): void {
    const timer = setTimeout(() => this.left(socket), GOING_MS);
    const { id } = socket;
    this.#leaving.set(socket, { id, bytes, timer, patience: new Patience() });
  }

  /** Handles messages from a rejected socket, which is cut off if there are too many. */
  spoke(socket: WebSocket, bytes: number): void {
    const leaving = this.#leaving.get(socket);
    if (leaving === undefined || leaving.patience.bears(bytes)) return;
    leaving.bytes += bytes;
    this.left(socket);
  }

  /** Settles the verdict when the rejected socket is gone or its time is over. */
  left(socket: WebSocket): void {
    const leaving = this.#leaving.get(socket);
    if (leaving === undefined) return;
    clearTimeout(leaving.timer);
    this.#leaving.delete(socket);
    this.#tell(leaving.id, { isOwner: false, bytes: leaving.bytes });
  }

  /** Settles the verdict for a bridge that left before it was judged. */
  gone({ id }: Pick<Socket, "id">): void {
    this.#tell(id, { isOwner: false, bytes: 0 });
  }

  #tell(id: string, verdict: Verdict): void {
    this.#waiting.get(id)?.(verdict);
    this.#waiting.delete(id);
  }
}
