// Owns finding the token in a request and making the ticket for the room: the token with its
// grant's id and hash. Does not check the ticket: the room routes by it, and the bridge verifies
// it. Also owns which of the offered subprotocols is selected. Never the one with the token,
// because the selected one appears in the answer.

import { TOKEN_PATTERN } from "../../protocol/grant.ts";
import { RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL } from "../../protocol/limits.ts";
import { toBytes } from "../../protocol/text.ts";

export interface Ticket {
  readonly grant: string;
  readonly hash: string;
  /** The token itself, which the bridge verifies. Never in storage or logs. */
  readonly token: string;
}

const TOKEN_ANYWHERE = /pp_[0-9A-Za-z]{10}_[0-9A-Za-z]{32}/;

/** Whether a query contains a token, which is refused because queries end up in logs. */
export function containsToken(query: string): boolean {
  return TOKEN_ANYWHERE.test(query);
}

export function listSubprotocols(headers: Headers): string[] {
  const offered = headers.get("sec-websocket-protocol");
  return offered === null ? [] : offered.split(",").map((entry) => entry.trim());
}

/** Returns the token from `Authorization`, or from the subprotocols for browsers' sockets. */
export function findToken(headers: Headers): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined) return bearer;
  return listSubprotocols(headers).find((entry) => TOKEN_PATTERN.test(entry));
}

/** Returns the ticket of the request's token; undefined without a well-formed token. */
export async function readTicket(headers: Headers): Promise<Ticket | undefined> {
  const token = findToken(headers);
  const grant = token === undefined ? undefined : TOKEN_PATTERN.exec(token)?.[1];
  if (token === undefined || grant === undefined) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", toBytes(token));
  return { grant, hash: toHex(new Uint8Array(digest)), token };
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** In order of preference: a client that offers both can read both. */
export const PEER_SUBPROTOCOLS = [RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL] as const;

/** For coding agents' sockets, which have only one kind of message. */
export const AGENT_SUBPROTOCOLS = [PLAIN_SUBPROTOCOL] as const;

export function selectSubprotocol(
  offered: readonly string[],
  supported: readonly string[],
): string | undefined {
  return supported.find((name) => offered.includes(name));
}
