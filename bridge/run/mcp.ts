// Assembles the MCP dialect over the room's services. Loaded when the first agent connects.

import type { AgentTerminals } from "../agents/service.ts";
import type { McpParts } from "../dialects/mcp/dialect.ts";
import { McpDialect } from "../dialects/mcp/dialect.ts";
import { panelTools } from "../dialects/mcp/tools/panels.ts";
import { sessionTools } from "../dialects/mcp/tools/sessions.ts";
import { terminalTools } from "../dialects/mcp/tools/terminals.ts";
import type { AgentWorks } from "./agents.ts";

export interface McpWish extends Omit<McpParts, "agents" | "tools"> {
  readonly agents: AgentTerminals;
  readonly works: Pick<AgentWorks, "panels" | "tools">;
  readonly hasPanels: boolean;
}

export function openMcp({ works, hasPanels, ...parts }: McpWish): McpDialect {
  return new McpDialect({
    ...parts,
    tools: [
      ...terminalTools(parts.agents),
      ...sessionTools(works.tools),
      ...(hasPanels ? panelTools(works.panels) : []),
    ],
  });
}
