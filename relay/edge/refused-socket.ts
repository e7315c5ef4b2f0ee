// Owns how a room reports a refusal: in headers of its answer. The Worker accepts a person's socket
// and closes it, because a browser can read a close code but not the status of a failed upgrade,
// and because a room that held such a socket could not hibernate.

import type { ErrorCode } from "../../protocol/codes.ts";
import { refuse } from "./answers.ts";

export const CLOSE = "pairpty-close";
export const REASON = "pairpty-reason";

export function refuseSocket(close: number, code: ErrorCode, reason: string): Response {
  const response = refuse(code, reason);
  response.headers.set(CLOSE, String(close));
  response.headers.set(REASON, reason);
  return response;
}

/** Returns the close code of a refusal; undefined for any other answer. */
export function closeOf({ headers }: Response): number | undefined {
  return headers.has(CLOSE) ? Number(headers.get(CLOSE)) : undefined;
}
