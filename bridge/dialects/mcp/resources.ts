// Owns terminals as MCP resources: `terminal://{id}` is a terminal's history, for @terminal
// context, and `terminal://{id}/screen` its current screen.

import type { McpServer } from "@modelcontextprotocol/server";
import { ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { AgentTerminals } from "../../agents/agent-terminals.ts";
import type { Caller } from "../../callers/caller.ts";

export function toHistoryUri(id: string): string {
  return `terminal://${id}`;
}

export function toScreenUri(id: string): string {
  return `${toHistoryUri(id)}/screen`;
}

/** Returns the terminal id in an address, whether the terminal exists or not. */
export function parseTerminalId(uri: string): string | undefined {
  return /^terminal:\/\/([^/]+)(?:\/screen)?$/.exec(uri)?.[1];
}

/** The parts of the agents' service that resources use. */
type ResourceService = Pick<AgentTerminals, "list" | "read" | "readScreen">;

export function registerResources(
  server: McpServer,
  caller: Caller,
  agents: ResourceService,
): void {
  registerScreens(server, caller, agents);
  const template = new ResourceTemplate("terminal://{id}", {
    list: () => ({ resources: agents.list(caller).map(describeResource) }),
  });
  server.registerResource(
    "terminal",
    template,
    {
      title: "Terminal history",
      description: "The last output of a terminal",
      mimeType: "text/plain",
    },
    async (uri, { id }, ctx) => {
      const terminalId = Array.isArray(id) ? (id[0] ?? "") : (id ?? "");
      const outcome = await agents.read(caller, terminalId, {}, ctx.mcpReq.signal);
      if (!outcome.ok) throw new ResourceNotFoundError(uri.href, outcome.error);
      const { text } = outcome.value;
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
    },
  );
}

function registerScreens(server: McpServer, caller: Caller, agents: ResourceService): void {
  server.registerResource(
    "screen",
    // Screens are not listed: every terminal has one.
    new ResourceTemplate("terminal://{id}/screen", { list: undefined }),
    {
      title: "Terminal screen",
      description: "What is on a terminal's screen now: lines, cursor, title, size, as JSON",
      mimeType: "application/json",
    },
    async (uri, { id }) => {
      const terminalId = Array.isArray(id) ? (id[0] ?? "") : (id ?? "");
      const outcome = await agents.readScreen(caller, terminalId);
      if (!outcome.ok) throw new ResourceNotFoundError(uri.href, outcome.error);
      const text = JSON.stringify(outcome.value);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );
}

function describeResource({ id, command, cwd, owner }: Terminal) {
  const what = command === undefined ? "terminal" : command.join(" ");
  return {
    uri: toHistoryUri(id),
    name: id,
    title: `${what} in ${cwd} (${owner})`,
    mimeType: "text/plain",
  };
}
