// Owns when MCP is loaded: with the first agent that comes, since its SDK takes a quarter of what a
// start would load, and most rooms never see an agent. Serves nothing by itself.

import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller } from "../../callers/caller.ts";
import type { Route } from "../../callers/hub.ts";
import type { McpDialect } from "./dialect.ts";

export type LoadedMcp = Pick<McpDialect, "serve" | "createServer" | "close">;

export class LaterMcp implements Route {
  readonly path = "/mcp";
  readonly needs = "agent";
  readonly #load: () => Promise<LoadedMcp>;
  #dialect: Promise<LoadedMcp> | undefined;

  constructor(load: () => Promise<LoadedMcp>) {
    this.#load = load;
  }

  async serve(caller: Caller, request: Request): Promise<Response> {
    const dialect = await this.#loaded();
    return await dialect.serve(caller, request);
  }

  async createServer(caller: Caller): Promise<McpServer> {
    const dialect = await this.#loaded();
    return dialect.createServer(caller, false);
  }

  /** One that is being loaded is closed as soon as it is there. */
  async close(): Promise<void> {
    const dialect = await this.#dialect;
    await dialect?.close();
  }

  #loaded(): Promise<LoadedMcp> {
    this.#dialect ??= this.#load();
    return this.#dialect;
  }
}
