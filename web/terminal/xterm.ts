// Owns creating an xterm that is safe for untrusted output: it answers no queries, bounds counts, keeps
// contrast, and opens no link without asking.

import "@xterm/xterm/css/xterm.css";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { effect } from "@preact/signals";
import type { ITerminalOptions } from "@xterm/xterm";
import { Terminal } from "@xterm/xterm";
import { limitRepeatCounts } from "../../protocol/repeat-limits.ts";
import { fontFamily, settings } from "../settings/settings.ts";
import { onThemeChange, getTheme } from "../themes/theme.ts";
import { areBoxesLoaded, drawBoxes } from "./box-drawing.ts";
import { MIN_CONTRAST, fixInverseContrast } from "./contrast.ts";
import { measureTogether } from "./glyph-widths.ts";
import { handleImages } from "./images/image-hooks.ts";
import { findJoinedEmoji } from "./joined-emoji.ts";
import { paintSelectionsOnly } from "./selection-paint.ts";
import { suppressQueries } from "./query-suppression.ts";

/** Opens an xterm; `onLink` is called when the user clicks a link, plain or hidden behind text (OSC 8). */
export function openTerminal(
  host: HTMLElement,
  onLink: (uri: string) => void,
  options: ITerminalOptions,
): Terminal {
  // Tab goes to the program, so screen reader users need another way out.
  Terminal.strings.promptLabel = "Terminal input; Alt+0 leaves it";
  const term = new Terminal({
    // Unicode versions are still "proposed" in xterm 6.
    allowProposedApi: true,
    fontFamily: fontFamily(),
    minimumContrastRatio: MIN_CONTRAST,
    theme: getTheme(),
    // The page's own dialog checks a link and shows its target.
    linkHandler: { activate: (_event, uri) => onLink(uri), allowNonHttpProtocols: true },
    ...options,
  });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = "11";
  term.loadAddon(new WebLinksAddon((_event, uri) => onLink(uri)));
  suppressQueries(term.parser);
  limitRepeatCounts(term);
  handleImages(term);
  term.open(host);
  paintSelectionsOnly(term);
  fixInverseContrast(term);
  drawBoxes(term);
  measureTogether(term);
  releaseKeysOnFocus(term);
  term.registerCharacterJoiner(findJoinedEmoji);
  // For the developer tools and the browser tests; the page does not read it.
  Object.assign(host, { terminal: term });
  return term;
}

/**
 * Releases keys that were pressed here and released elsewhere, as when switching tabs. While xterm 6 believes
 * that a key is down, it drops text that comes without a key, such as from an emoji picker or dictation.
 */
function releaseKeysOnFocus({ textarea }: Terminal): void {
  textarea?.addEventListener("focus", () => {
    // A modifier has no other effect in xterm.
    textarea.dispatchEvent(new KeyboardEvent("keyup", { key: "Shift", keyCode: 16 }));
  });
}

/** Applies the user's theme, font and screen reader setting, now and on changes; returns the unsubscriber. */
export function applyUserSettings(term: Terminal): () => void {
  const untheme = onThemeChange(() => {
    term.options.theme = getTheme();
  });
  const unwatch = effect(() => {
    const family = fontFamily(settings.value);
    if (term.options.fontFamily !== family) term.options.fontFamily = family;
    term.options.screenReaderMode = settings.value.reader;
  });
  const unbox = effect(() => {
    if (areBoxesLoaded.value) term.refresh(0, term.rows - 1);
  });
  return () => {
    untheme();
    unwatch();
    unbox();
  };
}
