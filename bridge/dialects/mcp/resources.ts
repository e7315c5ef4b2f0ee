// Owns terminals as MCP resources: `terminal://{id}` is the history of one, for @terminal context.

import type { McpServer } from "@modelcontextprotocol/server";
import { ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { Caller } from "./tools.ts";

export function resourceUri(id: string): string {
  return `terminal://${id}`;
}

export function registerResources(server: McpServer, { agents, audit, grant }: Caller): void {
  if (!grant.scopes.includes("read")) return;
  const template = new ResourceTemplate("terminal://{id}", {
    list: () => ({ resources: agents.list().map(describeResource) }),
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
      const outcome = await agents.read(terminalId, {}, ctx.mcpReq.signal);
      audit.write({
        event: "read",
        grant: grant.id,
        label: grant.label,
        terminal: terminalId,
        outcome: outcome.ok ? "ok" : outcome.error,
      });
      if (!outcome.ok) throw new ResourceNotFoundError(uri.href, outcome.error);
      const { text } = outcome.value;
      return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
    },
  );
}

function describeResource({ id, command, cwd, owner }: Terminal) {
  const what = command === undefined ? "shell" : command.join(" ");
  return {
    uri: resourceUri(id),
    name: id,
    title: `${what} in ${cwd} (${owner})`,
    mimeType: "text/plain",
  };
}
