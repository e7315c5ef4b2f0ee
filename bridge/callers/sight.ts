// Owns who may know of a terminal. The one place that decides it, for lists, reads, events, screens
// and resources alike. Pure.

import type { Grant } from "../grants/table.ts";
import type { Meta } from "../terminals/terminal.ts";

/**
 * A private terminal is there for those who may type into the user's own, and for nobody else. What
 * shows people an agent's commands is there for people: the agent has had it all.
 */
export function maySee(
  { role }: Pick<Grant, "role">,
  meta: Pick<Meta, "private" | "feed">,
): boolean {
  if (meta.feed === true && role === "agent") return false;
  return meta.private !== true || role === "edit";
}
