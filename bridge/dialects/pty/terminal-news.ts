// Owns the messages that everyone in the room gets unrequested: terminals that are created, change
// or close, and their titles. Callers that may not see a terminal get none about it.

import type { Hub } from "../../callers/hub.ts";
import { canSee } from "../../callers/permissions.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import { encodeEvent } from "./pty-messages.ts";

type VisibilityMeta = Parameters<typeof canSee>[1];

/** Sends terminal events and titles to callers that may see the terminal; returns how to stop. */
export function broadcastTerminalNews(
  pool: Pick<TerminalPool, "onEvent" | "onTitle">,
  hub: Pick<Hub, "broadcast">,
): () => void {
  // Decided by the event's own data: the pool may have dropped the terminal before its end is sent.
  const broadcast = (about: VisibilityMeta, message: string, before: VisibilityMeta = about) =>
    hub.broadcast(message, (_caller, grant) => canSee(grant, about) && canSee(grant, before));
  const disposables = [
    // Callers that gain sight by the change get `created` instead (people/terminal-sharing.ts).
    pool.onEvent((event, before) => broadcast(event.terminal, JSON.stringify(event), before)),
    pool.onTitle(({ id, title, meta }) =>
      broadcast(meta, encodeEvent("pty:titled", { id, title })),
    ),
  ];
  return () => {
    for (const dispose of disposables) dispose();
  };
}
