// Owns how a socket is refused: accepted and closed, because a browser can read a close code but
// not the status of a failed upgrade. The room only says so, in a header, and the Worker holds the
// socket until its client has gone: a room with such a socket could not sleep.

import { CloseCode } from "../../protocol/codes.ts";
import { refuse } from "./answers.ts";
import type { ErrorCode } from "../../protocol/codes.ts";

const CLOSE = "pairpty-close";
const REASON = "pairpty-reason";

/** The room's half. */
export function refuseSocket(close: number, code: ErrorCode, reason: string): Response {
  const response = refuse(code, reason);
  response.headers.set(CLOSE, String(close));
  response.headers.set(REASON, reason);
  return response;
}

/** The Worker's half; undefined when the room said nothing of the kind. */
export function closedSocket(response: Response): WebSocket | undefined {
  const close = response.headers.get(CLOSE);
  if (close === null) return undefined;
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.close(Number(close) || CloseCode.internal, response.headers.get(REASON) ?? "");
  return client;
}
