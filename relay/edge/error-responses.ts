// Owns the relay's HTTP error answers: a code for programs, a message for people, never a stack.
// Also owns how a room reports a refusal: in headers of its answer.

import { compact } from "../../protocol/compact.ts";
import type { ErrorBody } from "../../protocol/codes.ts";
import { ErrorCode } from "../../protocol/codes.ts";

/** Shown to clients for internal errors; the details go to the log. */
export const INTERNAL_ERROR_MESSAGE = "Internal error in the relay. Please try again.";

export const NO_WORKSPACE_MESSAGE = "There is no such workspace here.";

export const NO_TOKEN_MESSAGE = "The token is missing, unknown, revoked or expired.";

/** Long enough not to hammer the relay, short enough to notice soon that the bridge is back. */
const RETRY_AFTER_SECONDS = 2;

export function refuse(code: ErrorCode, error: string, since?: number): Response {
  const body: ErrorBody = { code, error, ...compact({ since }) };
  const response = Response.json(body, { status: ErrorCode[code] });
  response.headers.set("cache-control", "no-store");
  if (code === "unauthorized") response.headers.set("www-authenticate", "Bearer");
  if (code === "bridge_away" || code === "too_many") {
    response.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  }
  return response;
}

/** Logs an internal error for the operator; clients only get the generic message. */
export function logFault(where: string, error: unknown): void {
  console.error(`${where}:`, error instanceof Error ? (error.stack ?? error.message) : error);
}

// The Worker accepts a person's socket and closes it, because a browser can read a close code but
// not the status of a failed upgrade, and because a room that held such a socket could not
// hibernate.

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
