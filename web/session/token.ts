// Owns moving the secret part of a link from the address bar to this tab's storage, out of sight:
// the token of a plain link, or the whole secret of a sealed one. Does not check it: the room does.

import { SEALED_LINK_PATTERN, TOKEN_PATTERN } from "../../protocol/grant.ts";
import { APPROVE_PATTERN, WORKSPACE_PATTERN } from "../../protocol/workspace.ts";

export type Invitation =
  | { kind: "token"; token: string }
  /** A link to another workspace of this relay. */
  | { kind: "elsewhere"; url: string }
  /** A link to another relay, whose own page must open it. */
  | { kind: "foreign"; origin: string }
  | { kind: "unreadable" };

export interface CurrentPage {
  origin: string;
  workspace: string | undefined;
}

export interface BrowserPage {
  location: Pick<Location, "hash" | "pathname" | "search">;
  history: Pick<History, "replaceState">;
  storage: Pick<Storage, "getItem" | "setItem"> | undefined;
}

/** Returns the workspace in `/w/:workspace` and `/w/:workspace/approve/:id`, else undefined. */
export function parseWorkspace(pathname: string): string | undefined {
  const [name, inside] = splitPath(pathname);
  if (inside !== "" && inside !== "/" && !APPROVE_PATTERN.test(inside)) return undefined;
  return WORKSPACE_PATTERN.test(name) ? name : undefined;
}

/** Returns the approval's id in `/w/:workspace/approve/:id`. */
export function parseQuestionId(pathname: string): string | undefined {
  return APPROVE_PATTERN.exec(splitPath(pathname)[1])?.[1];
}

function splitPath(pathname: string): [name: string, inside: string] {
  const [, name = "", inside = ""] = /^\/w\/([^/]+)(.*)$/s.exec(pathname) ?? [];
  return [name, inside];
}

/** A sealed link of any version, whole or not. */
const VERSIONED_PATTERN = /^pp\d+_/;

/** Whether a word has the form of a token or sealed link. */
export function isToken(word: string): boolean {
  return TOKEN_PATTERN.test(word) || SEALED_LINK_PATTERN.test(word);
}

/**
 * Moves a token from the address bar to storage; without one, returns this tab's stored token. Only
 * returns a sealed link that is cut or damaged: a stored plain token must not take its place.
 */
export function takeToken(page: BrowserPage, workspace: string): string | undefined {
  const word = page.location.hash.slice(1);
  if (word !== "") page.history.replaceState(null, "", page.location.pathname);
  if (isToken(word)) page.storage?.setItem(getTokenKey(workspace), word);
  else if (!VERSIONED_PATTERN.test(word))
    return page.storage?.getItem(getTokenKey(workspace)) ?? undefined;
  return word;
}

export function saveToken(storage: BrowserPage["storage"], workspace: string, token: string): void {
  storage?.setItem(getTokenKey(workspace), token);
}

/** Parses what a person pasted: a whole link, or just the token. */
export function readInvitation(text: string, here: CurrentPage): Invitation {
  const word = text.trim();
  if (isToken(word) && here.workspace !== undefined) return { kind: "token", token: word };
  if (!URL.canParse(word)) return { kind: "unreadable" };
  const url = new URL(word);
  const workspace = parseWorkspace(url.pathname);
  const token = url.hash.slice(1);
  if (workspace === undefined || !isToken(token)) return { kind: "unreadable" };
  if (url.origin !== here.origin) return { kind: "foreign", origin: url.origin };
  if (workspace !== here.workspace) return { kind: "elsewhere", url: `${url.pathname}#${token}` };
  return { kind: "token", token };
}

/** Returns the tab's storage; undefined if it is switched off, when access throws. */
export function tabStorage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

function getTokenKey(workspace: string): string {
  return `pairpty:token:${workspace}`;
}
