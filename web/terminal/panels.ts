// Owns which terminals have a panel on this page, by id: commands reach theirs through it. Types
// alone of the panel, which is the page's lazy part.

import type { Aim } from "../commands/command.ts";
import type { TerminalPanel } from "./panel.ts";

const panels = new Map<string, TerminalPanel>();

/** The end of it is returned. */
export function register(id: string, panel: TerminalPanel): () => void {
  panels.set(id, panel);
  return () => {
    if (panels.get(id) === panel) panels.delete(id);
  };
}

/** Undefined where the view is no terminal, or its panel is still being loaded. */
export function panelAt({ view }: Pick<Aim, "view">): TerminalPanel | undefined {
  return view?.kind === "terminal" ? panels.get(view.terminalId) : undefined;
}
