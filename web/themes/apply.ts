// Owns putting a chosen theme on the page: its colours become the style sheet's variables. Where the
// system decides, the style sheet does it alone.

import { effect } from "@preact/signals";
import { settings } from "../settings/settings.ts";
import { chosen } from "./theme.ts";

/** From here on, as the settings say. A theme that is not known is the system's. */
export function applyThemes({ style }: Pick<HTMLElement, "style">): () => void {
  return effect(() => void apply(settings.value.theme, style));
}

async function apply(id: string, style: CSSStyleDeclaration): Promise<void> {
  const theme = id === "system" ? undefined : await load(id);
  // Another was chosen meanwhile.
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
    // Not to be had now: the system's will do.
    return undefined;
  }
}
