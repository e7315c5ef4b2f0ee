// Owns what this browser stores beyond a tab: its id in a workspace, its person's name, and its own
// token if the person asked to be remembered. Works without storage, but then saves nothing. Also
// owns where the installed page starts: in the workspace that this browser used last. That address
// has no secret; opening it needs the browser's saved link or a new one.

import { WORKSPACE_PATTERN, workspacePath } from "../../protocol/workspace.ts";
import type { BrowserPage } from "./token.ts";

export type BrowserStorage = Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;

/** Returns the browser's storage; undefined if it is switched off or there is no browser. */
export function browserStorage(): BrowserStorage {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Returns this browser's id, one per workspace, so that relays cannot link people by it. */
export function getDeviceId(storage: BrowserStorage, workspace: string): string {
  const key = `pairpty:device:${workspace}`;
  const known = storage?.getItem(key);
  if (known) return known;
  const made = createDeviceId();
  storage?.setItem(key, made);
  return made;
}

/** Creates a random id; `randomUUID` does not exist on plain http. */
function createDeviceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const NAME_KEY = "pairpty:name";

/** Returns the saved name; undefined if the person was never asked, "" if they want none. */
export function getSavedName(storage: BrowserStorage): string | undefined {
  return storage?.getItem(NAME_KEY) ?? undefined;
}

export function saveName(storage: BrowserStorage, name: string): void {
  storage?.setItem(NAME_KEY, name);
}

export function rememberToken(storage: BrowserStorage, workspace: string, token: string): void {
  storage?.setItem(getTokenKey(workspace), token);
}

export function forgetToken(storage: BrowserStorage, workspace: string): void {
  storage?.removeItem(getTokenKey(workspace));
}

export function getRememberedToken(storage: BrowserStorage, workspace: string): string | undefined {
  return storage?.getItem(getTokenKey(workspace)) ?? undefined;
}

/** Adds the remembered token as a fallback: the tab's own may be from a newer link. */
export function withRememberedToken(
  tab: BrowserPage["storage"],
  browser: BrowserStorage,
  workspace: string,
): BrowserPage["storage"] {
  return {
    getItem: (key) => tab?.getItem(key) ?? getRememberedToken(browser, workspace) ?? null,
    setItem: (key, value) => tab?.setItem(key, value),
  };
}

function getTokenKey(workspace: string): string {
  return `pairpty:remembered:${workspace}`;
}

/** Returns a stored list of words without spaces. */
export function createStoredList(key: string) {
  return {
    get: () => (browserStorage()?.getItem(key) ?? "").split(" ").filter(Boolean),
    set: (words: readonly string[]) => browserStorage()?.setItem(key, words.join(" ")),
  };
}

export const LAST_WORKSPACE_KEY = "pairpty:last";

export interface StartPage {
  readonly location: Pick<Location, "pathname" | "hash" | "replace">;
  readonly storage: Pick<NonNullable<BrowserStorage>, "getItem"> | undefined;
  readonly isInstalled: boolean;
}

export function reopenLastWorkspace({ location, storage, isInstalled: is }: StartPage): void {
  if (!is || location.pathname !== "/" || location.hash !== "") return;
  const last = storage?.getItem(LAST_WORKSPACE_KEY) ?? "";
  if (WORKSPACE_PATTERN.test(last)) location.replace(workspacePath(last));
}

export function isInstalled(): boolean {
  return matchMedia("(display-mode: standalone)").matches;
}
