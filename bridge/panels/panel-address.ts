// Owns a panel's identity: its id within a scope, which is a session shared by several connections, or
// one connection. Pure.

import * as z from "zod/mini";

/** Stored in the terminal's metadata, so that the next bridge knows it too. */
export const PanelAddress = z.object({
  panelId: z.string(),
  scope: z.enum(["session", "connection"]),
  /** The session's id, or the connection's peer number. */
  scopeId: z.string(),
});
export type PanelAddress = z.infer<typeof PanelAddress>;

export function toPanelKey({ scope, scopeId, panelId }: PanelAddress): string {
  return `${scope}:${scopeId}::${panelId}`;
}

export function findSessionId({ scope, scopeId }: PanelAddress): string | undefined {
  return scope === "session" ? scopeId : undefined;
}
