// Owns the registry of panels by terminal id, through which commands reach them. Imports only types of the
// panel, which is loaded lazily.

import type { CommandContext } from "../commands/command.ts";
import type { TerminalPanel } from "./terminal-panel.ts";

const panels = new Map<string, TerminalPanel>();

/** Registers a panel; returns the function that removes it. */
export function registerPanel(id: string, panel: TerminalPanel): () => void {
  panels.set(id, panel);
  return () => {
    if (panels.get(id) === panel) panels.delete(id);
  };
}

/** Returns the view's panel; undefined if the view is not a terminal or its panel is still loading. */
export function findPanel({ view }: Pick<CommandContext, "view">): TerminalPanel | undefined {
  return view?.kind === "terminal" ? panels.get(view.terminalId) : undefined;
}
