// Owns closing sockets, and sending to sockets that may already be closed.

import type { Socket } from "./socket-state.ts";
import { sendableCode } from "./close-code.ts";

/** A close frame carries at most 123 bytes of reason. */
const MAX_REASON = 120;

export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(sendableCode(code), reason.slice(0, MAX_REASON));
  } catch {
    // Already closed.
  }
}

/** Closes a socket and records that. `grant` is set while unread data is held for it. */
export function closeAndRecord(socket: Socket, code: number, reason: string, grant?: string): void {
  try {
    socket.setState(grant === undefined ? { kind: "gone" } : { kind: "gone", grant });
  } catch {
    // A socket that has ended has no state to keep.
  }
  closeSocket(socket, code, reason);
}

/** Returns false when the socket has already ended. */
export function trySend(socket: WebSocket, message: string | Uint8Array): boolean {
  try {
    socket.send(message);
    return true;
  } catch {
    return false;
  }
}
