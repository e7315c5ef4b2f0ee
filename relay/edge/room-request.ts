// Owns the request that the Worker makes to a room. The client's own header names and URL never go
// into it: partyserver reads `_pk` and `x-partykit-*`, and keeps the whole URL. The Worker sets
// `x-partykit-room`, because a room that its alarm woke may not know its name.

import type { Ticket } from "./token.ts";

export type Door = "peer" | "acp" | "bridge" | "http";

/** The client's details for the room. Sent as header values, since a request has nothing else. */
export interface RoomRequestInfo {
  readonly door: Door;
  /** The room's name. */
  readonly workspace: string;
  /** The Host header the client sent. */
  readonly host: string;
  readonly ticket?: Ticket | undefined;
  /** Bridges: an id for the socket, by which the Worker waits for the room's verdict. */
  readonly id?: string;
  /** Bridges: the knock, which only a bridge that was accepted before knows. */
  readonly knock?: string | undefined;
  /** Bridges: the socket has a permit for strangers. */
  readonly stranger?: boolean;
  /** People's sockets: the client selected the raw rendition. */
  readonly raw?: boolean;
  /** Tunnelled HTTP: the path for the bridge, with its query. */
  readonly path?: string;
}

/** The header that partyserver reads. */
const ROOM = "x-partykit-room";
const HOST = "pairpty-host";
const GRANT = "pairpty-grant";
const HASH = "pairpty-hash";
const TOKEN = "pairpty-token";
const PATH = "pairpty-path";
const RAW = "pairpty-raw";
const KNOCK = "pairpty-knock";
const STRANGER = "pairpty-stranger";
/** Prefix of each header that goes through the tunnel. */
const CARRIED_PREFIX = "pairpty-carried-";

export interface TunnelledRequest {
  readonly method: string;
  readonly headers: readonly [string, string][];
  readonly body: ReadableStream | ArrayBuffer | null;
  readonly signal: AbortSignal;
}

export function buildRoomRequest(info: RoomRequestInfo, tunnelled?: TunnelledRequest): Request {
  const headers = new Headers({ [ROOM]: info.workspace, [HOST]: info.host });
  if (info.ticket !== undefined) {
    headers.set(GRANT, info.ticket.grant);
    headers.set(HASH, info.ticket.hash);
    headers.set(TOKEN, info.ticket.token);
  }
  if (info.path !== undefined) headers.set(PATH, info.path);
  if (info.raw === true) headers.set(RAW, "1");
  if (info.knock !== undefined) headers.set(KNOCK, info.knock);
  if (info.stranger === true) headers.set(STRANGER, "1");
  const url = `https://room/${info.door}?_pk=${info.id ?? crypto.randomUUID()}`;
  if (tunnelled === undefined) {
    headers.set("upgrade", "websocket");
    return new Request(url, { headers });
  }
  for (const [name, value] of tunnelled.headers) headers.set(CARRIED_PREFIX + name, value);
  const { method, body, signal } = tunnelled;
  return new Request(url, { method, headers, body, signal });
}

export function readRoomRequest(request: Request): RoomRequestInfo {
  const grant = request.headers.get(GRANT);
  const hash = request.headers.get(HASH);
  const token = request.headers.get(TOKEN);
  const path = request.headers.get(PATH);
  const name = new URL(request.url).pathname.slice(1);
  return {
    door: name === "peer" || name === "acp" || name === "bridge" ? name : "http",
    workspace: request.headers.get(ROOM) ?? "",
    host: request.headers.get(HOST) ?? "",
    ...(grant === null || hash === null || token === null
      ? {}
      : { ticket: { grant, hash, token } }),
    ...(path === null ? {} : { path }),
    knock: request.headers.get(KNOCK) ?? undefined,
    stranger: request.headers.has(STRANGER),
    raw: request.headers.has(RAW),
  };
}

export function readCarriedHeaders(request: Request): [string, string][] {
  return Array.from(request.headers)
    .filter(([name]) => name.startsWith(CARRIED_PREFIX))
    .map(([name, value]) => [name.slice(CARRIED_PREFIX.length), value]);
}
