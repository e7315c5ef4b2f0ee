// Owns MCP over streamable HTTP inside the bridge: which wire a request uses, and which server
// handles it. Opens no port: requests come through the tunnel, and the room has checked Host and
// Origin.

import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  McpServer,
} from "@modelcontextprotocol/server";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseText } from "../../../protocol/json.ts";
import type { AuditLog } from "../../audit/log.ts";
import type { AgentTerminals } from "../../agents/service.ts";
import type { Caller } from "../../callers/caller.ts";
import { hasScope } from "../../callers/rights.ts";
import { Ends } from "../../ends.ts";
import type { Log } from "../../log.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { onlyTakes } from "../../callers/answers.ts";
import { VERSION } from "../../version.ts";
import { auditListening, auditRequests } from "./audited.ts";
import type { OpenCaller } from "./caller.ts";
import { Elicitor } from "./elicitation.ts";
import type { Fixtures } from "./fixtures.ts";
import { refuseInheritedNames } from "./handlers.ts";
import { registerResources, resourceUri, screenUri, terminalOf } from "./resources.ts";
import { KEEP_ALIVE_MS, LegacySessions } from "./sessions.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { ToolRow } from "./tools/row.ts";

const INSTRUCTIONS =
  "Terminals of a developer's own machine. bash runs a command to its end; terminal_start, terminal_continue and terminal_stop hold a conversation with a program. Read any terminal; run servers for the user in background terminals and promote them when they are ready; kill what you no longer need.";

const METHODS: readonly string[] = ["GET", "POST", "DELETE"];

export interface McpParts {
  readonly agents: Pick<AgentTerminals, "isThere" | "list" | "read" | "screen">;
  readonly tools: readonly ToolRow[];
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  /** Source of the notifications for subscribers. */
  readonly news: Pick<TerminalPool, "onActivity" | "onEvent">;
  readonly open: OpenCaller;
  /** Returns the page's address that shows this approval. */
  readonly linkTo?: ((id: string) => string) | undefined;
  /** Fires when a client of a 2025 wire ended its MCP session with a DELETE. */
  readonly deleted: (caller: Caller) => void;
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
  readonly quick: McpHttpHandler;
  readonly slow: McpHttpHandler;
}

export class McpDialect {
  readonly #parts: McpParts;
  readonly #subscriptions = new Subscriptions();
  readonly #sessions: LegacySessions;
  readonly #handlers = new Map<string, Handlers>();
  readonly #ends = new Ends();
  readonly #elicitor: Elicitor;

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#elicitor = new Elicitor({ linkTo: parts.linkTo, log: parts.log });
    this.#sessions = new LegacySessions({
      open: parts.open,
      create: (caller) => this.createServer(caller, true),
      deleted: parts.deleted,
    });
    this.#ends.own(
      // Activity would reveal how fast a person who stepped in is typing.
      parts.news.onActivity(({ id, meta }) => {
        if (meta.steppedIn === undefined) this.#updated(id);
      }),
      parts.news.onEvent(({ event, terminal: { id } }) => {
        if (event === "output") return;
        this.#updated(id);
        this.#listChanged();
      }),
    );
  }

  async serve(caller: Caller, request: Request): Promise<Response> {
    if (!METHODS.includes(request.method)) return onlyTakes(...METHODS);
    if (request.method !== "POST") return await this.#sessions.handle(request, caller);
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return Response.json(
        { code: "bad_request", error: "Send application/json" },
        { status: 415 },
      );
    }
    if (await isLegacyRequest(request)) return await this.#sessions.handle(request, caller);
    const { quick, slow } = this.#handlersFor(caller.grantId);
    const text = await request.clone().text();
    auditListening(text, { audit: this.#parts.audit, caller });
    const handler = this.#mayTakeLong(text) ? slow : quick;
    return await handler.fetch(request);
  }

  async close(): Promise<void> {
    this.#ends.dispose();
    const ids = [...this.#handlers.keys()];
    await Promise.all([this.#sessions.close(), ...ids.map((id) => this.#drop(id))]);
  }

  /** Creates a server with the tools of one caller's grant. */
  createServer(caller: Caller, legacy: boolean): McpServer {
    const { fixtures, agents, audit, log, tools } = this.#parts;
    const server = new McpServer(
      { name: "pairpty", title: "pairpty terminals", version: VERSION },
      { instructions: INSTRUCTIONS, ...fixtures?.options },
    );
    const sets = caller.grant()?.tools;
    auditRequests(server, { caller, audit, log });
    refuseInheritedNames(server);
    const context = { caller, audit, log, elicitor: this.#elicitor };
    for (const row of tools) {
      const isShown = sets === undefined || sets.includes(row.set);
      if (isShown && hasScope(caller, row.scope)) row.register(server, context);
    }
    registerResources(server, caller, agents);
    fixtures?.register(server, () => this.#handlersFor(caller.grantId).quick.notify);
    if (legacy && hasScope(caller, "read")) {
      this.#subscriptions.register(server, (uri) => this.#isThere(caller, uri));
    }
    return server;
  }

  #handlersFor(grantId: string): Handlers {
    const known = this.#handlers.get(grantId);
    if (known !== undefined) return known;
    const { caller, leave } = this.#parts.open(grantId, () => void this.#drop(grantId));
    const factory = () => this.createServer(caller, false);
    const options = { legacy: "reject", keepAliveMs: KEEP_ALIVE_MS } as const;
    const made = {
      caller,
      leave,
      quick: createMcpHandler(factory, options),
      slow: createMcpHandler(factory, { ...options, responseMode: "sse" }),
    };
    this.#handlers.set(grantId, made);
    // The grant may have ended before its handlers existed.
    if (caller.grant() === undefined) void this.#drop(grantId);
    return made;
  }

  /** Closes the handlers and streams of a grant that ended. */
  async #drop(grantId: string): Promise<void> {
    const handlers = this.#handlers.get(grantId);
    this.#handlers.delete(grantId);
    handlers?.leave();
    await Promise.all([handlers?.quick.close(), handlers?.slow.close()]);
  }

  /** Whether the resource exists; a test suite adds its own. */
  #isThere(caller: Caller, uri: string): boolean {
    const id = terminalOf(uri);
    if (id === undefined) return this.#parts.fixtures !== undefined;
    return this.#parts.agents.isThere(caller, id);
  }

  #updated(id: string): void {
    const { agents } = this.#parts;
    for (const uri of [resourceUri(id), screenUri(id)]) {
      for (const { caller, quick } of this.#handlers.values()) {
        if (hasScope(caller, "read") && agents.isThere(caller, id))
          quick.notify.resourceUpdated(uri);
      }
      for (const { caller, server } of this.#sessions.all()) {
        if (agents.isThere(caller, id)) this.#subscriptions.updated(server, uri);
      }
    }
  }

  #listChanged(): void {
    for (const { caller, quick } of this.#handlers.values()) {
      if (hasScope(caller, "read")) quick.notify.resourcesChanged();
    }
    for (const { server } of this.#sessions.all()) this.#subscriptions.listChanged(server);
  }

  #mayTakeLong(text: string): boolean {
    const call = parseText(ToolCall, text);
    if (!call.ok) return false;
    const { name, arguments: args } = call.value.params;
    return this.#parts.tools.some((row) => row.name === name && row.mayTakeLong(args ?? {}));
  }
}

const ToolCall = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
});
