// Owns how the room closes sockets, and sends without minding that they may be closed.

import type { Socket } from "./attachment.ts";

/** Codes that the runtime makes up when no close frame came; none may be sent. */
const UNSENDABLE = new Set([1004, 1005, 1006, 1015]);
const MAX_REASON = 120;

export function sendableCode(code: number): number {
  return code < 1000 || code > 4999 || UNSENDABLE.has(code) ? 1000 : code;
}

export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(sendableCode(code), reason.slice(0, MAX_REASON));
  } catch {
    // Already closed: nothing is left to say.
  }
}

/** Ends a socket from our side, and says so to whoever wakes up with it. */
export function retire(socket: Socket, code: number, reason: string): void {
  try {
    socket.setState({ kind: "gone" });
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
