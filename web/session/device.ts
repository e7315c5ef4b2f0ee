// Owns what this browser stores beyond a tab: its id in a workspace, its person's name, and its own
// token if the person asked to be remembered. Works without storage, but then saves nothing.

import type { Page } from "./token.ts";

export type Keeping = Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;

/** Returns the browser's storage; undefined if it is switched off or there is no browser. */
export function browserStorage(): Keeping {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Returns this browser's id, one per workspace, so that relays cannot link people by it. */
export function deviceIn(storage: Keeping, workspace: string): string {
  const key = `pairpty:device:${workspace}`;
  const known = storage?.getItem(key);
  if (known) return known;
  const made = newDevice();
  storage?.setItem(key, made);
  return made;
}

/** Creates a random id; `randomUUID` does not exist on plain http. */
function newDevice(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const NAME = "pairpty:name";

/** Returns the saved name; undefined if the person was never asked, "" if they want none. */
export function keptName(storage: Keeping): string | undefined {
  return storage?.getItem(NAME) ?? undefined;
}

export function keepName(storage: Keeping, name: string): void {
  storage?.setItem(NAME, name);
}

export function rememberToken(storage: Keeping, workspace: string, token: string): void {
  storage?.setItem(tokenKey(workspace), token);
}

export function forgetToken(storage: Keeping, workspace: string): void {
  storage?.removeItem(tokenKey(workspace));
}

export function rememberedToken(storage: Keeping, workspace: string): string | undefined {
  return storage?.getItem(tokenKey(workspace)) ?? undefined;
}

/** Adds the remembered token as a fallback: the tab's own may be from a newer link. */
export function withRemembered(
  tab: Page["storage"],
  kept: Keeping,
  workspace: string,
): Page["storage"] {
  return {
    getItem: (key) => tab?.getItem(key) ?? rememberedToken(kept, workspace) ?? null,
    setItem: (key, value) => tab?.setItem(key, value),
  };
}

function tokenKey(workspace: string): string {
  return `pairpty:remembered:${workspace}`;
}

/** Returns a stored list of words without spaces. */
export function keptList(key: string) {
  return {
    get: () => (browserStorage()?.getItem(key) ?? "").split(" ").filter(Boolean),
    set: (words: readonly string[]) => browserStorage()?.setItem(key, words.join(" ")),
  };
}
