// Owns what a panel is called by: its id within a scope, which is a session that several connections
// share, or one connection. Pure.

import * as z from "zod/mini";

/** Kept with its terminal, so that the next bridge knows it too. */
export const PanelPlace = z.object({
  panelId: z.string(),
  scope: z.enum(["session", "connection"]),
  /** The session's, or the connection's number in the room. */
  scopeId: z.string(),
});
export type PanelPlace = z.infer<typeof PanelPlace>;

export function keyOf({ scope, scopeId, panelId }: PanelPlace): string {
  return `${scope}:${scopeId}::${panelId}`;
}

export function sessionOf({ scope, scopeId }: PanelPlace): string | undefined {
  return scope === "session" ? scopeId : undefined;
}
