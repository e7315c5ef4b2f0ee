// Owns loading MCP with the first agent: its SDK would be a quarter of what a start loads, and most
// rooms never see an agent.

import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../callers/caller.ts";
import type { Route } from "../../callers/routes.ts";
import type { McpDialect } from "./dialect.ts";

export type LoadedMcp = Pick<McpDialect, "serve" | "createServer" | "close">;

export class LazyMcpRoute implements Route {
  readonly path = "/mcp";
  readonly requires = "agent";
  readonly #load: () => Promise<LoadedMcp>;
  #dialect: Promise<LoadedMcp> | undefined;

  constructor(load: () => Promise<LoadedMcp>) {
    this.#load = load;
  }

  async serve(caller: Caller, request: Request): Promise<Response> {
    const dialect = await this.#getDialect();
    return await dialect.serve(caller, request);
  }

  async createServer(caller: Caller): Promise<McpServer> {
    const dialect = await this.#getDialect();
    return dialect.createServer(caller, false);
  }

  /** Closes the dialect, after loading if it is being loaded. */
  async close(): Promise<void> {
    const dialect = await this.#dialect;
    await dialect?.close();
  }

  #getDialect(): Promise<LoadedMcp> {
    this.#dialect ??= this.#load();
    return this.#dialect;
  }
}
