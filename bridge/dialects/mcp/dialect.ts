// Owns MCP over streamable HTTP inside the bridge: which wire a request speaks, and who serves it.
// Opens no port; the tunnel brings the requests, and the room has checked Host and Origin.

import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  McpServer,
} from "@modelcontextprotocol/server";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { AuditLog } from "../../agents/audit.ts";
import type { AgentTerminals } from "../../agents/service.ts";
import type { Grant } from "../../grants/table.ts";
import type { Log } from "../../log.ts";
import type { Screens, ScreenView } from "../../screens/screens.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { errorResponse } from "../../tunnel/tunnel.ts";
import { VERSION } from "../../version.ts";
import { auditListening, auditRequests } from "./audited.ts";
import type { Fixtures } from "./fixtures.ts";
import { refuseInheritedNames } from "./handlers.ts";
import { registerResources, resourceUri, screenUri, terminalOf } from "./resources.ts";
import { KEEP_ALIVE_MS, LegacySessions } from "./sessions.ts";
import { Subscriptions } from "./subscriptions.ts";
import { registerTools } from "./tools.ts";

const INSTRUCTIONS =
  "Terminals of a developer's own machine. Read any; run long-lived commands in background terminals; promote one when it is ready for the user; kill what you no longer need.";

export interface McpParts {
  readonly pool: TerminalPool;
  readonly screens: Screens;
  readonly agents: AgentTerminals;
  readonly audit: AuditLog;
  readonly log: Pick<Log, "error">;
  /** Of a test suite. */
  readonly fixtures?: Fixtures | undefined;
}

export class McpDialect {
  readonly #parts: McpParts;
  readonly #subscriptions = new Subscriptions();
  readonly #sessions = new LegacySessions((grant) => this.createServer(grant, true));
  /** One per grant: tools differ by scope, and subscriptions are not shared across grants. */
  readonly #handlers = new Map<
    string,
    { grant: Grant; quick: McpHttpHandler; slow: McpHttpHandler }
  >();

  constructor(parts: McpParts) {
    this.#parts = parts;
    parts.pool.onActivity(({ id }) => this.#updated(id));
    parts.pool.onEvent(({ event, terminal: { id } }) => {
      if (event === "output") return;
      this.#updated(id);
      this.#listChanged();
    });
  }

  async serve(request: Request, grant: Grant): Promise<Response> {
    if (grant.role !== "agent") {
      return errorResponse(
        "forbidden",
        `Agents come in here; the role of this token is ${grant.role}`,
      );
    }
    if (!["GET", "POST", "DELETE"].includes(request.method)) {
      const response = errorResponse("method_not_allowed", "This path takes GET, POST and DELETE");
      response.headers.set("allow", "GET, POST, DELETE");
      return response;
    }
    if (request.method !== "POST") return await this.#sessions.handle(request, grant);
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return Response.json(
        { code: "bad_request", error: "Send application/json" },
        { status: 415 },
      );
    }
    if (await isLegacyRequest(request)) return await this.#sessions.handle(request, grant);
    const { quick, slow } = this.#handlersFor(grant);
    const text = await request.clone().text();
    auditListening(text, { audit: this.#parts.audit, grant });
    const handler = mayTakeLong(text) ? slow : quick;
    return await handler.fetch(request);
  }

  /** A grant is gone: so are its streams and sessions. */
  async drop(grant: string): Promise<void> {
    const handlers = this.#handlers.get(grant);
    this.#handlers.delete(grant);
    await Promise.all([
      this.#sessions.drop(grant),
      handlers?.quick.close(),
      handlers?.slow.close(),
    ]);
  }

  async close(): Promise<void> {
    const handlers = [...this.#handlers.values()].flatMap(({ quick, slow }) => [quick, slow]);
    await Promise.all([this.#sessions.close(), ...handlers.map((handler) => handler.close())]);
  }

  #handlersFor(grant: Grant) {
    const known = this.#handlers.get(grant.id);
    if (known !== undefined) return known;
    const factory = () => this.createServer(grant, false);
    const options = { legacy: "reject", keepAliveMs: KEEP_ALIVE_MS } as const;
    const made = {
      grant,
      quick: createMcpHandler(factory, options),
      slow: createMcpHandler(factory, { ...options, responseMode: "sse" }),
    };
    this.#handlers.set(grant.id, made);
    return made;
  }

  /** A server with the tools of one grant. */
  createServer(grant: Grant, legacy: boolean): McpServer {
    const { fixtures } = this.#parts;
    const server = new McpServer(
      { name: "pairpty", title: "pairpty terminals", version: VERSION },
      { instructions: INSTRUCTIONS, ...fixtures?.options },
    );
    const { agents, audit, log } = this.#parts;
    const caller = { agents, audit, log, grant };
    auditRequests(server, caller);
    refuseInheritedNames(server);
    registerTools(server, caller);
    registerResources(server, caller, (id) => this.#screen(id));
    fixtures?.register(server, () => this.#handlersFor(grant).quick.notify);
    if (legacy && grant.scopes.includes("read")) {
      this.#subscriptions.register(server, (uri) => this.#isThere(uri));
    }
    return server;
  }

  /** A test suite has resources of its own. */
  #isThere(uri: string): boolean {
    const id = terminalOf(uri);
    if (id === undefined) return this.#parts.fixtures !== undefined;
    return this.#parts.pool.get(id) !== undefined;
  }

  async #screen(id: string): Promise<ScreenView | undefined> {
    const { pool, screens } = this.#parts;
    const terminal = pool.get(id);
    if (terminal === undefined) return undefined;
    return await screens.view(terminal).catch((error: unknown) => {
      if (error instanceof Unavailable) return undefined;
      throw error;
    });
  }

  #updated(id: string): void {
    for (const uri of [resourceUri(id), screenUri(id)]) {
      for (const { quick } of this.#readers()) quick.notify.resourceUpdated(uri);
      for (const server of this.#sessions.servers()) this.#subscriptions.updated(server, uri);
    }
  }

  #listChanged(): void {
    for (const { quick } of this.#readers()) quick.notify.resourcesChanged();
    for (const server of this.#sessions.servers()) this.#subscriptions.listChanged(server);
  }

  /** Handlers of grants that may know of terminals at all. */
  #readers() {
    return [...this.#handlers.values()].filter(({ grant }) => grant.scopes.includes("read"));
  }
}

/** Calls that wait are streamed from the start: a quiet plain response hides a client that left. */
function mayTakeLong(text: string): boolean {
  return /"waitFor"|"kill_terminal"|"spawn_background_terminal"/.test(text);
}
