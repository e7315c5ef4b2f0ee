// Owns the tools that tests expect agents to be shown, each once, with its set and its scope.

import type { Scope, ToolSet } from "../../protocol/grant.ts";

interface ExpectedTool {
  readonly name: string;
  readonly set: ToolSet;
  readonly scope: Scope;
}

/** Within a set in the order in which agents get them. */
export const TOOLS: readonly ExpectedTool[] = [
  { name: "list_terminals", set: "terminals", scope: "read" },
  { name: "read_terminal", set: "terminals", scope: "read" },
  { name: "spawn_background_terminal", set: "terminals", scope: "spawn" },
  { name: "promote_terminal", set: "terminals", scope: "spawn" },
  { name: "kill_terminal", set: "terminals", scope: "spawn" },
  { name: "bash", set: "sessions", scope: "spawn" },
  { name: "terminal_start", set: "sessions", scope: "spawn" },
  { name: "terminal_continue", set: "sessions", scope: "spawn" },
  { name: "terminal_stop", set: "sessions", scope: "spawn" },
  { name: "terminal_list", set: "sessions", scope: "read" },
  { name: "terminal_write", set: "panels", scope: "type" },
  { name: "terminal_read_screen", set: "panels", scope: "read" },
];

export function listToolsOfScopes(...scopes: readonly Scope[]): string[] {
  return TOOLS.filter(({ scope }) => scopes.includes(scope)).map(({ name }) => name);
}

export const SESSION_TOOLS = TOOLS.filter(({ set }) => set === "sessions").map(({ name }) => name);

/** An agent's, unless its grant says otherwise. */
export const USUAL_TOOLS = listToolsOfScopes("read", "spawn");
