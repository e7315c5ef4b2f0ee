// Owns the request that the Worker makes to a room. Nothing of the client's goes into it under the
// client's own names: partyserver reads `_pk` and `x-partykit-*`, and keeps the whole URL.
// `x-partykit-room` is the Worker's: a room that its alarm woke may not know its name.

import type { Ticket } from "./token.ts";

export type Door = "peer" | "acp" | "bridge" | "http";

/** What a room is told about who asks. Header values, because that is all a request has. */
export interface Asked {
  readonly door: Door;
  /** The room's name. */
  readonly workspace: string;
  /** The Host header the client sent. */
  readonly host: string;
  readonly ticket?: Ticket | undefined;
  /** Of bridges: a name for the socket, by which the Worker asks what became of it. */
  readonly id?: string;
  /** Of bridges: what one that was accepted here before would say. */
  readonly knock?: string | undefined;
  /** Of bridges: it has a place among the strangers. */
  readonly stranger?: boolean;
  /** Of people's sockets: it selected the raw rendition. */
  readonly raw?: boolean;
  /** Of tunnelled HTTP: the path for the bridge, with its query. */
  readonly path?: string;
}

/** partyserver's. */
const ROOM = "x-partykit-room";
const HOST = "pairpty-host";
const GRANT = "pairpty-grant";
const HASH = "pairpty-hash";
const PATH = "pairpty-path";
const RAW = "pairpty-raw";
const KNOCK = "pairpty-knock";
const STRANGER = "pairpty-stranger";
/** In front of each header that goes through the tunnel. */
const CARRIED = "pairpty-carried-";

export interface Tunnelled {
  readonly method: string;
  readonly headers: readonly [string, string][];
  readonly body: ReadableStream | ArrayBuffer | null;
  readonly signal: AbortSignal;
}

export function roomRequest(asked: Asked, tunnelled?: Tunnelled): Request {
  const headers = new Headers({ [ROOM]: asked.workspace, [HOST]: asked.host });
  if (asked.ticket !== undefined) {
    headers.set(GRANT, asked.ticket.grant);
    headers.set(HASH, asked.ticket.hash);
  }
  if (asked.path !== undefined) headers.set(PATH, asked.path);
  if (asked.raw === true) headers.set(RAW, "1");
  if (asked.knock !== undefined) headers.set(KNOCK, asked.knock);
  if (asked.stranger === true) headers.set(STRANGER, "1");
  const url = `https://room/${asked.door}?_pk=${asked.id ?? crypto.randomUUID()}`;
  if (tunnelled === undefined) {
    headers.set("upgrade", "websocket");
    return new Request(url, { headers });
  }
  for (const [name, value] of tunnelled.headers) headers.set(CARRIED + name, value);
  const { method, body, signal } = tunnelled;
  return new Request(url, { method, headers, body, signal });
}

export function readAsked(request: Request): Asked {
  const grant = request.headers.get(GRANT);
  const hash = request.headers.get(HASH);
  const path = request.headers.get(PATH);
  const name = new URL(request.url).pathname.slice(1);
  return {
    door: name === "peer" || name === "acp" || name === "bridge" ? name : "http",
    workspace: request.headers.get(ROOM) ?? "",
    host: request.headers.get(HOST) ?? "",
    ...(grant === null || hash === null ? {} : { ticket: { grant, hash } }),
    ...(path === null ? {} : { path }),
    knock: request.headers.get(KNOCK) ?? undefined,
    stranger: request.headers.has(STRANGER),
    raw: request.headers.has(RAW),
  };
}

export function carriedHeaders(request: Request): [string, string][] {
  return Array.from(request.headers)
    .filter(([name]) => name.startsWith(CARRIED))
    .map(([name, value]) => [name.slice(CARRIED.length), value]);
}
