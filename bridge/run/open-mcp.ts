// Assembles the MCP dialect over the room's services. Loaded when the first agent connects.

import type { AgentTerminals } from "../agents/agent-terminals.ts";
import type { McpDialectDeps } from "../dialects/mcp/dialect.ts";
import { McpDialect } from "../dialects/mcp/dialect.ts";
import { panelTools } from "../dialects/mcp/tools/panel-tools.ts";
import { sessionTools } from "../dialects/mcp/tools/session-tools.ts";
import { terminalTools } from "../dialects/mcp/tools/terminal-tools.ts";
import type { AgentServices } from "./agent-services.ts";

export interface McpOptions extends Omit<McpDialectDeps, "agents" | "tools"> {
  readonly agents: AgentTerminals;
  readonly services: Pick<AgentServices, "panels" | "tools">;
  readonly hasPanels: boolean;
}

export function openMcp({ services, hasPanels, ...deps }: McpOptions): McpDialect {
  return new McpDialect({
    ...deps,
    tools: [
      ...terminalTools(deps.agents),
      ...sessionTools(services.tools),
      ...(hasPanels ? panelTools(services.panels) : []),
    ],
  });
}
