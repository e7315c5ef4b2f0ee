// Owns making an xterm that is safe to show anybody's output in: it answers nothing, counts within
// bounds, keeps its contrast, and follows no link by itself.

import "@xterm/xterm/css/xterm.css";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { effect } from "@preact/signals";
import type { ITerminalOptions } from "@xterm/xterm";
import { Terminal } from "@xterm/xterm";
import { boundCounts } from "../../protocol/counts.ts";
import { fontFamily, settings } from "../settings/settings.ts";
import { onThemeChange, theme } from "../themes/theme.ts";
import { boxesLoaded, drawBoxes } from "./box-drawing.ts";
import { LEAST_CONTRAST, mendInverse } from "./contrast.ts";
import { noticeImages } from "./images/hooks.ts";
import { joinedEmoji } from "./joined-emoji.ts";
import { paintSelectionsOnly } from "./selection-paint.ts";
import { silence } from "./silence.ts";

/** `onLink`: somebody wants to follow a link, written out or hidden behind other text (OSC 8). */
export function openTerminal(
  host: HTMLElement,
  onLink: (uri: string) => void,
  options: ITerminalOptions,
): Terminal {
  // Tab is the program's: whoever cannot see the page should know the way out.
  Terminal.strings.promptLabel = "Terminal input; Alt+0 leaves it";
  const term = new Terminal({
    // Unicode versions are still "proposed" in xterm 6.
    allowProposedApi: true,
    fontFamily: fontFamily(),
    minimumContrastRatio: LEAST_CONTRAST,
    theme: theme(),
    // The page's own dialog judges and shows what a link leads to.
    linkHandler: { activate: (_event, uri) => onLink(uri), allowNonHttpProtocols: true },
    ...options,
  });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = "11";
  term.loadAddon(new WebLinksAddon((_event, uri) => onLink(uri)));
  silence(term.parser);
  boundCounts(term);
  noticeImages(term);
  term.open(host);
  paintSelectionsOnly(term);
  mendInverse(term);
  drawBoxes(term);
  forgetKeysOnFocus(term);
  term.registerCharacterJoiner(joinedEmoji);
  // A handle for the developer tools and for the browser tests; nothing here reads it.
  Object.assign(host, { terminal: term });
  return term;
}

/**
 * Ends keys that went down here and up elsewhere, as those of a switch to another tab do. xterm 6 takes
 * text that comes without a key (an emoji picker, dictation) for that key's own as long as one is down,
 * and drops it.
 */
function forgetKeysOnFocus({ textarea }: Terminal): void {
  textarea?.addEventListener("focus", () => {
    // A modifier: xterm does nothing else with it.
    textarea.dispatchEvent(new KeyboardEvent("keyup", { key: "Shift", keyCode: 16 }));
  });
}

/** As its person likes it, now and whenever that changes; returns the end of it. */
export function dress(term: Terminal): () => void {
  const untheme = onThemeChange(() => {
    term.options.theme = theme();
  });
  const unwatch = effect(() => {
    const family = fontFamily(settings.value);
    if (term.options.fontFamily !== family) term.options.fontFamily = family;
    term.options.screenReaderMode = settings.value.reader;
  });
  const unbox = effect(() => {
    if (boxesLoaded.value) term.refresh(0, term.rows - 1);
  });
  return () => {
    untheme();
    unwatch();
    unbox();
  };
}
