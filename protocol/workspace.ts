// Owns the form of workspace ids and the paths into their rooms.

import * as z from "zod/mini";

/**
 * Lower case, digits and inner hyphens, 3 to 64: safe in a path, a host name and an object's name.
 */
export const WORKSPACE_PATTERN = /^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$/;

export const WorkspaceId = z.string().check(z.regex(WORKSPACE_PATTERN));

/** The only Durable Object namespace that PartyKit's URL form may name. */
export const PARTY = "workspace";

export function peerPath(workspace: string): string {
  return `/parties/${PARTY}/${workspace}`;
}

export function workspacePath(workspace: string, rest = ""): string {
  return `/w/${workspace}${rest}`;
}

/** Path below the workspace: its page, opened at one approval. */
export const APPROVE_PATTERN = /^\/approve\/([\w-]{1,32})$/;

/** Name of the folder with the rooms' storage on disk; renaming it would lose them. */
export const ROOMS_KEY = "pairpty-relay-WorkspaceRoom";
