// Owns MCP over streamable HTTP inside the bridge: which wire a request uses, and which server
// handles it. Opens no port: requests come through the tunnel, and the room has checked Host and
// Origin. Also owns the interface by which a test suite extends every server.

import type {
  McpHttpHandler,
  McpServerOptions,
  ServerNotifier,
} from "@modelcontextprotocol/server";
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  McpServer,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import type { AgentTerminals } from "../../agents/agent-terminals.ts";
import type { AuditLog } from "../../audit/audit-log.ts";
import { VERSION } from "../../build-info.ts";
import type { Caller } from "../../callers/caller.ts";
import { methodNotAllowed } from "../../callers/json-response.ts";
import { hasScope } from "../../callers/permissions.ts";
import { DisposableStore } from "../../disposable-store.ts";
import type { Log } from "../../log.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { Elicitor } from "./elicitation.ts";
import type { OpenCaller } from "./legacy-sessions.ts";
import { KEEP_ALIVE_MS, LegacySessions, LegacySubscriptions } from "./legacy-sessions.ts";
import { auditListenRequest, auditRequests, refuseInheritedNames } from "./request-audit.ts";
import { registerResources, toHistoryUri, toScreenUri, parseTerminalId } from "./resources.ts";
import type { ToolRow } from "./tools/tool-row.ts";

export interface Fixtures {
  /** Override the server's own options, which contain only instructions. */
  readonly options: McpServerOptions;
  /** Registers the suite's tools; `notifier` publishes to the grant's open streams (2026 wire). */
  register(server: McpServer, notifier: () => ServerNotifier): void;
}

const INSTRUCTIONS =
  "Terminals of a developer's own machine. bash runs a command to its end; terminal_start, terminal_continue and terminal_stop hold a conversation with a program. Read any terminal; run servers for the user in background terminals and promote them when they are ready; kill what you no longer need.";

const METHODS: readonly string[] = ["GET", "POST", "DELETE"];

export interface McpDialectDeps {
  readonly agents: Pick<AgentTerminals, "exists" | "list" | "read" | "readScreen">;
  readonly tools: readonly ToolRow[];
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  /** Source of the notifications for subscribers. */
  readonly events: Pick<TerminalPool, "onActivity" | "onEvent">;
  readonly openCaller: OpenCaller;
  /** Returns the page's address that shows this approval. */
  readonly linkTo?: ((id: string) => string) | undefined;
  /** Fires when a client of a 2025 wire ended its MCP session with a DELETE. */
  readonly onSessionDeleted: (caller: Caller) => void;
  /** Tools and resources of a test suite. */
  readonly fixtures?: Fixtures | undefined;
}

/**
 * Handlers for one grant's requests on the 2026 wire: tools differ by scope, subscriptions by
 * grant.
 */
interface Handlers {
  readonly caller: Caller;
  readonly leave: () => void;
  readonly plain: McpHttpHandler;
  readonly streaming: McpHttpHandler;
}

export class McpDialect {
  readonly #deps: McpDialectDeps;
  readonly #subscriptions = new LegacySubscriptions();
  readonly #sessions: LegacySessions;
  readonly #handlers = new Map<string, Handlers>();
  readonly #disposables = new DisposableStore();
  readonly #elicitor: Elicitor;

  constructor(deps: McpDialectDeps) {
    this.#deps = deps;
    this.#elicitor = new Elicitor({ linkTo: deps.linkTo, log: deps.log });
    this.#sessions = new LegacySessions({
      openCaller: deps.openCaller,
      createServer: (caller) => this.createServer(caller, true),
      onDeleted: deps.onSessionDeleted,
    });
    this.#disposables.add(
      // Activity would reveal how fast a person who stepped in is typing.
      deps.events.onActivity(({ id, meta }) => {
        if (meta.steppedIn === undefined) this.#notifyUpdated(id);
      }),
      deps.events.onEvent(({ event, terminal: { id } }) => {
        if (event === "output") return;
        this.#notifyUpdated(id);
        this.#notifyListChanged();
      }),
    );
  }

  async serve(caller: Caller, request: Request): Promise<Response> {
    if (!METHODS.includes(request.method)) return methodNotAllowed(...METHODS);
    if (request.method !== "POST") return await this.#sessions.handle(request, caller);
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return Response.json(
        { code: "bad_request", error: "Send application/json" },
        { status: 415 },
      );
    }
    if (await isLegacyRequest(request)) return await this.#sessions.handle(request, caller);
    const { plain, streaming } = this.#getHandlers(caller.grantId);
    const text = await request.clone().text();
    auditListenRequest(text, { audit: this.#deps.audit, caller });
    const handler = this.#mayTakeLong(text) ? streaming : plain;
    return await handler.fetch(request);
  }

  async close(): Promise<void> {
    this.#disposables.dispose();
    const ids = [...this.#handlers.keys()];
    await Promise.all([this.#sessions.close(), ...ids.map((id) => this.#closeHandlers(id))]);
  }

  /** Creates a server with the tools of one caller's grant. */
  createServer(caller: Caller, legacy: boolean): McpServer {
    const { fixtures, agents, audit, log, tools } = this.#deps;
    const server = new McpServer(
      { name: "pairpty", title: "pairpty terminals", version: VERSION },
      { instructions: INSTRUCTIONS, ...fixtures?.options },
    );
    // Looked up once: a call of a tool that is registered here looks it up again.
    const grant = caller.grant();
    const canRead = hasScope(caller, "read", grant);
    auditRequests(server, { caller, audit, log });
    refuseInheritedNames(server);
    const context = { caller, audit, log, elicitor: this.#elicitor };
    for (const row of tools) {
      const isShown = grant?.tools === undefined || grant.tools.includes(row.set);
      if (isShown && hasScope(caller, row.scope, grant)) row.register(server, context);
    }
    if (canRead) registerResources(server, caller, agents);
    fixtures?.register(server, () => this.#getHandlers(caller.grantId).plain.notify);
    if (legacy && canRead) {
      this.#subscriptions.register(server, (uri) => this.#exists(caller, uri));
    }
    return server;
  }

  #getHandlers(grantId: string): Handlers {
    const known = this.#handlers.get(grantId);
    if (known !== undefined) return known;
    const { caller, leave } = this.#deps.openCaller(
      grantId,
      () => void this.#closeHandlers(grantId),
    );
    const factory = () => this.createServer(caller, false);
    const options = { legacy: "reject", keepAliveMs: KEEP_ALIVE_MS } as const;
    const made = {
      caller,
      leave,
      plain: createMcpHandler(factory, options),
      streaming: createMcpHandler(factory, { ...options, responseMode: "sse" }),
    };
    this.#handlers.set(grantId, made);
    // The grant may have ended before its handlers existed.
    if (caller.grant() === undefined) void this.#closeHandlers(grantId);
    return made;
  }

  /** Closes the handlers and streams of a grant that ended. */
  async #closeHandlers(grantId: string): Promise<void> {
    const handlers = this.#handlers.get(grantId);
    this.#handlers.delete(grantId);
    handlers?.leave();
    await Promise.all([handlers?.plain.close(), handlers?.streaming.close()]);
  }

  /** Whether the resource exists; a test suite adds its own. */
  #exists(caller: Caller, uri: string): boolean {
    const id = parseTerminalId(uri);
    if (id === undefined) return this.#deps.fixtures !== undefined;
    return this.#deps.agents.exists(caller, id);
  }

  #notifyUpdated(id: string): void {
    const { agents } = this.#deps;
    for (const uri of [toHistoryUri(id), toScreenUri(id)]) {
      for (const { caller, plain } of this.#handlers.values()) {
        if (hasScope(caller, "read") && agents.exists(caller, id))
          plain.notify.resourceUpdated(uri);
      }
      for (const { caller, server } of this.#sessions.list()) {
        if (agents.exists(caller, id)) this.#subscriptions.notifyUpdated(server, uri);
      }
    }
  }

  #notifyListChanged(): void {
    for (const { caller, plain } of this.#handlers.values()) {
      if (hasScope(caller, "read")) plain.notify.resourcesChanged();
    }
    for (const { server } of this.#sessions.list()) this.#subscriptions.notifyListChanged(server);
  }

  #mayTakeLong(text: string): boolean {
    const call = parseText(ToolCall, text);
    if (!call.ok) return false;
    const { name, arguments: args } = call.value.params;
    return this.#deps.tools.some((row) => row.name === name && row.mayTakeLong(args ?? {}));
  }
}

const ToolCall = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
});
