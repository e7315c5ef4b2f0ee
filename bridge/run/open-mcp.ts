// Assembles the MCP dialect over the room's services, with a caller for each agent's requests. Loaded
// when the first agent connects.

import type { AgentTerminals } from "../agents/agent-terminals.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import type { McpDialectDeps } from "../dialects/mcp/dialect.ts";
import { McpDialect } from "../dialects/mcp/dialect.ts";
import { panelTools } from "../dialects/mcp/tools/panel-tools.ts";
import { sessionTools } from "../dialects/mcp/tools/session-tools.ts";
import { terminalTools } from "../dialects/mcp/tools/terminal-tools.ts";
import { MCP_DOOR } from "../doors/mcp/mcp-door.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { AgentServices } from "./agent-services.ts";

export interface McpOptions extends Omit<McpDialectDeps, "agents" | "openCaller" | "tools"> {
  readonly agents: AgentTerminals;
  readonly services: Pick<AgentServices, "panels" | "tools">;
  readonly hasPanels: boolean;
  readonly hub: Pick<Hub, "open">;
  readonly grants: Pick<GrantTable, "lookUp">;
}

export function openMcp(options: McpOptions): McpDialect {
  const { services, hasPanels, hub, grants, ...deps } = options;
  return new McpDialect({
    ...deps,
    openCaller: (grantId, end) => openAgent(grantId, { hub, grants }, end),
    tools: [
      ...terminalTools(deps.agents),
      ...sessionTools(services.tools),
      ...(hasPanels ? panelTools(services.panels) : []),
    ],
  });
}

/** Registers a caller for an agent's sequence of stateless requests. */
function openAgent(
  grantId: string,
  { hub, grants }: Pick<McpOptions, "grants" | "hub">,
  end: () => void,
) {
  const caller: Caller = {
    door: MCP_DOOR,
    since: Date.now(),
    grantId,
    grant: () => grants.lookUp(grantId),
    send: () => {},
    close: end,
  };
  return { caller, leave: hub.open(caller) };
}
