// Owns how the room closes sockets, and sends without minding that they may be closed.

import type { Socket } from "./attachment.ts";
import { sendableCode } from "./close-code.ts";

/** The longest reason in bytes that a close frame carries is 123. */
const MAX_REASON = 120;

export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(sendableCode(code), reason.slice(0, MAX_REASON));
  } catch {
    // Already closed: nothing is left to say.
  }
}

/**
 * Ends a socket from our side, and says so to whoever wakes up with it; `grant` if it holds what it
 * did not read.
 */
export function retire(socket: Socket, code: number, reason: string, grant?: string): void {
  try {
    socket.setState(grant === undefined ? { kind: "gone" } : { kind: "gone", grant });
  } catch {
    // A socket past its end keeps no state, and needs none.
  }
  closeSocket(socket, code, reason);
}

/** False when the socket has ended and does not take anything any more. */
export function trySend(socket: WebSocket, message: string | Uint8Array): boolean {
  try {
    socket.send(message);
    return true;
  } catch {
    return false;
  }
}
