// Owns applying a selected theme: its colours become the style sheet's variables. For "system" the style
// sheet alone is enough.

import { effect } from "@preact/signals";
import { settings } from "../settings/settings.ts";
import { chosen } from "./theme.ts";

/** Applies the theme of the settings, now and on every change; an unknown theme counts as "system". */
export function applyThemes({ style }: Pick<HTMLElement, "style">): () => void {
  return effect(() => void apply(settings.value.theme, style));
}

async function apply(id: string, style: CSSStyleDeclaration): Promise<void> {
  const theme = id === "system" ? undefined : await load(id);
  // The user selected another theme while this one loaded.
  if (settings.peek().theme !== id) return;
  for (const name of Object.keys(chosen.peek()?.page ?? {})) style.removeProperty(`--${name}`);
  style.colorScheme = theme?.kind ?? "";
  for (const [name, color] of Object.entries(theme?.page ?? {})) {
    style.setProperty(`--${name}`, color);
  }
  chosen.value = theme;
}

async function load(id: string) {
  try {
    const { THEMES } = await import("./all.ts");
    return THEMES.find((theme) => theme.id === id);
  } catch {
    // The file did not load: fall back to the system's theme.
    return undefined;
  }
}
