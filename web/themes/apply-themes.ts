// Owns applying a selected theme: its colours become the style sheet's variables. For "system" the style
// sheet alone is enough.

import { effect } from "@preact/signals";
import { settings } from "../settings/settings.ts";
import { chosenTheme } from "./theme.ts";

/** Applies the theme of the settings, now and on every change; an unknown theme counts as "system". */
export function applyThemes({ style }: Pick<HTMLElement, "style">): () => void {
  return effect(() => void applyTheme(settings.value.theme, style));
}

async function applyTheme(id: string, style: CSSStyleDeclaration): Promise<void> {
  const theme = id === "system" ? undefined : await loadTheme(id);
  // The user selected another theme while this one loaded.
  if (settings.peek().theme !== id) return;
  for (const name of Object.keys(chosenTheme.peek()?.page ?? {})) style.removeProperty(`--${name}`);
  style.colorScheme = theme?.kind ?? "";
  for (const [name, color] of Object.entries(theme?.page ?? {})) {
    style.setProperty(`--${name}`, color);
  }
  chosenTheme.value = theme;
}

async function loadTheme(id: string) {
  try {
    const { THEMES } = await import("./theme-list.ts");
    return THEMES.find((theme) => theme.id === id);
  } catch {
    // The file did not load: fall back to the system's theme.
    return undefined;
  }
}
