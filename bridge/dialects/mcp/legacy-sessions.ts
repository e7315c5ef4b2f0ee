// Owns the sessions of clients on a 2025 wire: one transport, one server and one caller each, and
// their resource subscriptions. Their number is limited, idle ones are closed, and each is bound to
// the grant that began it.

import { randomUUID } from "node:crypto";
import type {
  McpServer,
  HandleRequestOptions,
  JSONRPCMessage,
  RequestId,
} from "@modelcontextprotocol/server";
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseJson } from "../../../protocol/json.ts";
import { NOT_FOUND } from "../../agents/not-found.ts";
import type { Caller } from "../../callers/caller.ts";

/**
 * Opens a caller. `end` is called when the grant has ended; call `leave` when there is nothing left
 * to end.
 */
export type OpenCaller = (
  grantId: string,
  end: () => void,
) => { readonly caller: Caller; readonly leave: () => void };

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

const MAX_SUBSCRIPTIONS = 200;

export class LegacySubscriptions {
  readonly #uris = new WeakMap<McpServer, Set<string>>();

  /** Registers the subscription handlers; `exists` returns whether a resource exists. */
  register(server: McpServer, exists: (uri: string) => boolean): void {
    const uris = new Set<string>();
    this.#uris.set(server, uris);
    server.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      if (!exists(uri)) throw new ResourceNotFoundError(uri, NOT_FOUND);
      if (uris.size >= MAX_SUBSCRIPTIONS) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "Too many subscriptions");
      }
      uris.add(uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      uris.delete(uri);
      return {};
    });
  }

  notifyListChanged(server: McpServer): void {
    if (this.#uris.has(server)) server.sendResourceListChanged();
  }

  notifyUpdated(server: McpServer, uri: string): void {
    if (this.#uris.get(server)?.has(uri) !== true) return;
    // The client may have disconnected.
    server.server.sendResourceUpdated({ uri }).catch(() => {});
  }
}

// The SDK finds an answer's stream by that id, and would never answer one of the two.

const CancelNotification = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #openIds = new Set<RequestId>();

  override async handleRequest(
    request: Request,
    options?: HandleRequestOptions,
  ): Promise<Response> {
    if (request.method !== "POST") return await super.handleRequest(request, options);
    const body = parseJson(await request.clone().text());
    const messages = body.ok ? [body.value].flat() : [];
    const ids = messages.filter((one) => isJSONRPCRequest(one)).map(({ id }) => id);
    const duplicate = ids.find((id, at) => this.#openIds.has(id) || ids.indexOf(id) < at);
    if (duplicate !== undefined) return toDuplicateIdError(duplicate);
    for (const id of ids) this.#openIds.add(id);
    const response = await super.handleRequest(request, options);
    // Only a streaming answer keeps its ids open.
    if (response.status !== 200) for (const id of ids) this.#openIds.delete(id);
    for (const message of messages) this.#onCancelled(message);
    return response;
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }) {
    try {
      await super.send(message, options);
    } finally {
      const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
      if (isAnswer && message.id !== undefined) this.#openIds.delete(message.id);
    }
  }

  /** Closes the stream of a cancelled request: the SDK sends no answer and would leave it open. */
  #onCancelled(message: unknown): void {
    if (!isJSONRPCNotification(message)) return;
    const { data } = CancelNotification.safeParse(message);
    if (data === undefined) return;
    this.closeSSEStream(data.params.requestId);
    this.#openIds.delete(data.params.requestId);
  }
}

function toDuplicateIdError(id: RequestId): Response {
  const message = `A request with the id ${JSON.stringify(id)} is already open in this session; use a new id`;
  const error = { code: INVALID_REQUEST, message };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}
