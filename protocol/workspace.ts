// Owns the names of workspaces and the paths that lead into their rooms.

import * as z from "zod/mini";

/** Lower case, digits and inner hyphens, 3 to 64: safe in a path, a host name and an object's name. */
export const WORKSPACE_PATTERN = /^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$/;

export const WorkspaceId = z.string().check(z.regex(WORKSPACE_PATTERN));

/** The one Durable Object namespace that PartyKit's URL shape may name. */
export const PARTY = "workspace";

export function peerPath(workspace: string): string {
  return `/parties/${PARTY}/${workspace}`;
}

export function workspacePath(workspace: string, rest = ""): string {
  return `/w/${workspace}${rest}`;
}

/** Behind a workspace's path: its page, with one question of an agent in front. */
export const APPROVE_PATTERN = /^\/approve\/([\w-]{1,32})$/;

/** Names the folder of the rooms' storage on a disk; another name would lose them. */
export const ROOMS_KEY = "pairpty-relay-WorkspaceRoom";
