// Owns who may know of a terminal, and of the way to the workspace. The one place that decides it, for
// lists, reads, events, screens and resources alike. Pure.

import type { Grant } from "../grants/table.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { FolderName } from "../workspace/folder-name.ts";
import { may } from "./rights.ts";

/**
 * A private terminal is there for those who may type into the user's own, and for nobody else. What
 * shows people an agent's commands is there for people: the agent has had it all.
 */
export function maySee(grant: Pick<Grant, "role">, meta: Pick<Meta, "private" | "feed">): boolean {
  if (meta.feed === true && grant.role === "agent") return false;
  return meta.private !== true || may(grant, "change");
}

/** What the workspace is called to whom. */
export function folderFor(grant: Pick<Grant, "role"> | undefined, folder: FolderName): string {
  return may(grant, "change") ? folder.edit : folder.view;
}
