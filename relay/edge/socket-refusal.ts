// Owns how a room reports a refusal: in headers of its answer. The Worker accepts a person's socket
// and closes it, because a browser can read a close code but not the status of a failed upgrade,
// and because a room that held such a socket could not hibernate.

import type { ErrorCode } from "../../protocol/codes.ts";
import { refuse } from "./error-responses.ts";

export const CLOSE_HEADER = "pairpty-close";
export const REASON_HEADER = "pairpty-reason";

export function refuseSocket(close: number, code: ErrorCode, reason: string): Response {
  const response = refuse(code, reason);
  response.headers.set(CLOSE_HEADER, String(close));
  response.headers.set(REASON_HEADER, reason);
  return response;
}

/** Returns the close code of a refusal; undefined for any other answer. */
export function findCloseCode({ headers }: Response): number | undefined {
  return headers.has(CLOSE_HEADER) ? Number(headers.get(CLOSE_HEADER)) : undefined;
}
