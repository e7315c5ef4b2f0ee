// Owns who may see a terminal, and which name of the workspace's folder a caller gets. The only
// place that decides it, for lists, reads, events, screens and resources. Pure.

import type { Grant } from "../grants/table.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { FolderName } from "../workspace/folder-name.ts";
import { may } from "./rights.ts";

/**
 * Whether a grant may see a terminal. Private ones need the right to type. The terminal that
 * mirrors an agent's commands is hidden from agents, which already have that output.
 */
export function maySee(grant: Pick<Grant, "role">, meta: Pick<Meta, "private" | "feed">): boolean {
  if (meta.feed === true && grant.role === "agent") return false;
  return meta.private !== true || may(grant, "change");
}

/** Returns the folder's name; only edit links see the parent folder in it. */
export function folderFor(grant: Pick<Grant, "role"> | undefined, folder: FolderName): string {
  return may(grant, "change") ? folder.edit : folder.view;
}
