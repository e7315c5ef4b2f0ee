// Owns creating an xterm that is safe for untrusted output: it answers no queries, bounds counts,
// keeps contrast, and opens no link without asking. Also owns finding emoji made of several code
// points: families (joined by U+200D), skin tones, flags. And suppressing the emulator's answers to
// terminal queries. The bridge answers each query once; answers of every page would arrive in the
// shell as typed input.

import { effect } from "@preact/signals";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import type { ITerminalOptions, IParser } from "@xterm/xterm";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { limitRepeatCounts } from "../../protocol/repeat-limits.ts";
import type { TerminalQuery } from "../../protocol/terminal-queries.ts";
import {
  isValueQuery,
  includesParameter,
  TERMINAL_QUERIES,
} from "../../protocol/terminal-queries.ts";
import { fontFamily, settings } from "../settings/settings.ts";
import { onThemeChange, getTheme } from "../themes/theme.ts";
import { areBoxesLoaded, drawBoxes } from "./box-drawing.ts";
import { measureTogether } from "./glyph-widths.ts";
import { handleImages } from "./images/image-hooks.ts";
import { MIN_CONTRAST, fixInverseContrast, paintSelectionsOnly } from "./xterm-patches.ts";

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

// Programs and the bridge count the cells of all parts, as the C library does, but a browser draws
// one glyph as wide as one part, which would shift the rest of the line. Joined into one cell of
// full width, they do not. Pure.

/** Quick test: most lines have no such emoji. */
const MAY_CONTAIN = /\u200D|\p{Emoji_Modifier}|\p{RI}/u;

const PART = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`;

const JOINED = new RegExp(
  String.raw`${PART}(?:\u200D${PART})+|\p{Extended_Pictographic}\p{Emoji_Modifier}|\p{RI}\p{RI}`,
  "gu",
);

/** Returns the ranges of joined emoji in a line, as xterm's character joiners expect them. */
export function findJoinedEmoji(line: string): [number, number][] {
  if (!MAY_CONTAIN.test(line)) return [];
  return Array.from(line.matchAll(JOINED), ({ index, 0: { length } }) => [index, index + length]);
}

/** Swallows queries until the terminal is disposed; passes other sequences on to the emulator. */
export function suppressQueries(parser: IParser): void {
  for (const query of TERMINAL_QUERIES) suppressQuery(parser, query);
}

function suppressQuery(parser: IParser, query: TerminalQuery): void {
  switch (query.kind) {
    case "csi": {
      const { prefix, intermediates, final, queryParameters } = query;
      // xterm rejects an empty prefix.
      const id = prefix === "" ? { intermediates, final } : { prefix, intermediates, final };
      parser.registerCsiHandler(id, ([first]) => includesParameter(queryParameters, Number(first)));
      return;
    }
    case "esc":
      parser.registerEscHandler({ final: query.final }, () => true);
      return;
    case "dcs":
      parser.registerDcsHandler(
        { intermediates: query.intermediates, final: query.final },
        () => true,
      );
      return;
    default:
      // The same OSC commands also set colours: those are passed on.
      parser.registerOscHandler(query.command, isValueQuery);
  }
}
