// Owns what each role may do and see, and the text of a refusal. The only place that decides it: the
// hub checks the rights of dialects and routes here, services everything else; lists, reads, events,
// screens and resources ask here who may see a terminal. Pure.

import type { Scope } from "../../protocol/grant.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { FolderName } from "../workspace/identity.ts";
import { linkName } from "../../protocol/names.ts";
import type { Caller, CallerStatus } from "./caller.ts";

/** look: allowed to every person's link. change: needs an edit link. */
export type Permission = "look" | "change";

/** Access to an HTTP path: people with that right, agents only, or any live link or token. */
export type RouteAccess = Permission | "agent" | "nothing";

export function hasPermission(
  grant: Pick<Grant, "role"> | undefined,
  permission: Permission,
): boolean {
  if (grant === undefined || grant.role === "agent") return false;
  return permission === "look" || grant.role === "edit";
}

/**
 * Applies a caller's limit to its grant. The label stays that of the Edit link, since limiting does
 * not turn it into a View link.
 */
export function applyLimit(grant: Grant, status: CallerStatus | undefined): Grant {
  if (status?.limit !== "view" || grant.role !== "edit") return grant;
  return { ...grant, role: "view", label: linkName(grant) };
}

/**
 * Returns why the caller is refused; undefined if it is allowed. `grant`: the one that was looked up
 * for the message under way; by default it is looked up now.
 */
export function permissionDenial(
  caller: Caller,
  permission: Permission,
  grant = caller.grant(),
): string | undefined {
  if (hasPermission(grant, permission)) return undefined;
  if (grant === undefined) return "This link has expired or was revoked";
  if (grant.role === "agent") return "Only people can use this; agents connect over MCP";
  if (caller.status?.limit !== undefined)
    return "This browser was limited to watching; ask the host to let you type again";
  return `This link is read-only (role ${grant.role}); ask for an edit link`;
}

/** Returns why a caller that is not an agent is refused. */
function agentOnlyDenial(caller: Pick<Caller, "grant">): string | undefined {
  const role = caller.grant()?.role;
  if (role === "agent") return undefined;
  return `Only agents can use this; the role of this token is ${role ?? "unknown"}`;
}

/** Returns why a caller may not use an HTTP path; undefined if it may. */
export function routeDenial(caller: Caller, need: RouteAccess): string | undefined {
  if (need === "nothing") return undefined;
  return need === "agent" ? agentOnlyDenial(caller) : permissionDenial(caller, need);
}

/** Whether an agent's grant includes the scope. */
export function hasScope(
  caller: Pick<Caller, "grant">,
  scope: Scope,
  grant = caller.grant(),
): boolean {
  return grant?.scopes.includes(scope) === true;
}

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
