// Owns what this browser keeps beyond a tab: its id in a workspace, its person's name, and the token of
// its own where somebody asked to be remembered. Storage that is switched off keeps nothing.

import type { Page } from "./token.ts";

export type Keeping = Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;

/** Undefined where the browser lets no page keep anything, or there is no browser. */
export function browserStorage(): Keeping {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Made once for each workspace: who runs one relay learns nothing about another one's people. */
export function deviceIn(storage: Keeping, workspace: string): string {
  const key = `pairpty:device:${workspace}`;
  const known = storage?.getItem(key);
  if (known) return known;
  const made = newDevice();
  storage?.setItem(key, made);
  return made;
}

/** Works on plain http, too, where `randomUUID` does not. */
function newDevice(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const NAME = "pairpty:name";

/** Undefined until somebody was asked; "" where they want none. */
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

/** What a tab has counts first: it may be of a newer link. */
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

/** Words without spaces that this browser keeps. */
export function keptList(key: string) {
  return {
    get: () => (browserStorage()?.getItem(key) ?? "").split(" ").filter(Boolean),
    set: (words: readonly string[]) => browserStorage()?.setItem(key, words.join(" ")),
  };
}
