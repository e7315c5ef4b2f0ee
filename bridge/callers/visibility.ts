// Owns who may see a terminal, and which name of the workspace's folder a caller gets. The only
// place that decides it, for lists, reads, events, screens and resources. Pure.

import type { Grant } from "../grants/grant-table.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { FolderName } from "../workspace/folder-name.ts";
import { hasPermission } from "./permissions.ts";

/**
 * Whether a grant may see a terminal. Private ones need the right to type. The terminal that
 * mirrors an agent's commands is hidden from agents, which already have that output.
 */
export function canSee(grant: Pick<Grant, "role">, meta: Pick<Meta, "private" | "feed">): boolean {
  if (meta.feed === true && grant.role === "agent") return false;
  return meta.private !== true || hasPermission(grant, "change");
}

/** Returns the folder's name; only edit links see the parent folder in it. */
export function getFolderName(grant: Pick<Grant, "role"> | undefined, folder: FolderName): string {
  return hasPermission(grant, "change") ? folder.edit : folder.view;
}
