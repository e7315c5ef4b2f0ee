// Owns the sessions of clients on a 2025 wire: one transport, one server and one caller each. Their
// number is limited, idle ones are closed, and each is bound to the grant that began it.

import { randomUUID } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../callers/caller.ts";
import type { OpenCaller } from "./open-caller.ts";
import { SessionTransport } from "./session-transport.ts";

export const MAX_SESSIONS = 256;
/** Per grant: a grant can displace only its own sessions. */
export const MAX_SESSIONS_PER_GRANT = 16;
export const IDLE_MS = 30 * 60_000;
/** Less than the 6 s in which a client that disconnected must be noticed. */
export const KEEP_ALIVE_MS = 5_000;
const SESSION_HEADER = "mcp-session-id";

interface LegacySession {
  readonly caller: Caller;
  /** Removes the caller from the hub. */
  readonly leave: () => void;
  readonly server: McpServer;
  readonly transport: SessionTransport;
  usedAt: number;
}

export interface LegacySessionsDeps {
  readonly openCaller: OpenCaller;
  readonly createServer: (caller: Caller) => McpServer;
  /** Fires when the client ended the session with a DELETE: what it started ends too. */
  readonly onDeleted?: (caller: Caller) => void;
  readonly now?: () => number;
}

export class LegacySessions {
  readonly #openCaller: OpenCaller;
  readonly #createServer: (caller: Caller) => McpServer;
  readonly #onDeleted: (caller: Caller) => void;
  readonly #now: () => number;
  readonly #sessions = new Map<string, LegacySession>();

  constructor({
    openCaller,
    createServer,
    onDeleted = () => {},
    now = Date.now,
  }: LegacySessionsDeps) {
    this.#openCaller = openCaller;
    this.#createServer = createServer;
    this.#onDeleted = onDeleted;
    this.#now = now;
  }

  /** Handles one request; `by` is its caller. */
  async handle(request: Request, by: Caller): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return await this.#begin(request, by);
    const session = this.#sessions.get(id);
    // Another grant's session is reported as unknown, so that it stays secret.
    if (session === undefined || session.caller.grantId !== by.grantId) return unknownSession();
    session.usedAt = this.#now();
    return await session.transport.handleRequest(request);
  }

  /** Returns all open sessions, for notifications. */
  list(): Pick<LegacySession, "caller" | "server">[] {
    return [...this.#sessions.values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(request: Request, { grantId }: Caller): Promise<Response> {
    this.#makeRoom(grantId);
    let id: string | undefined;
    const { caller, leave } = this.#openCaller(grantId, () => void this.#end(id ?? ""));
    try {
      const server = this.#createServer(caller);
      const transport = new SessionTransport({
        sessionIdGenerator: () => randomUUID(),
        keepAliveMs: KEEP_ALIVE_MS,
        onsessioninitialized: (given) => {
          id = given;
          this.#sessions.set(given, { caller, leave, server, transport, usedAt: this.#now() });
        },
        onsessionclosed: (given) => {
          this.#sessions.delete(given);
          leave();
          this.#onDeleted(caller);
        },
      });
      await server.connect(transport);
      const response = await transport.handleRequest(request);
      // Not an initialize: the transport has refused the request, so close the server.
      if (id === undefined) await server.close();
      return response;
    } finally {
      if (id === undefined) leave();
    }
  }

  /** Closes idle sessions; if full, also the least recently used one of this grant, or of all. */
  #makeRoom(grant: string): void {
    const now = this.#now();
    for (const [id, { usedAt }] of this.#sessions) if (now - usedAt > IDLE_MS) void this.#end(id);
    const oldestFirst = [...this.#sessions].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    const own = oldestFirst.filter(([, session]) => session.caller.grantId === grant);
    const [displaced] = own.length >= MAX_SESSIONS_PER_GRANT ? own : oldestFirst;
    const isFull = own.length >= MAX_SESSIONS_PER_GRANT || this.#sessions.size >= MAX_SESSIONS;
    if (isFull && displaced !== undefined) void this.#end(displaced[0]);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.leave();
    await session?.server.close();
  }
}

function unknownSession(): Response {
  const error = { code: -32_001, message: "Session not found" };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
