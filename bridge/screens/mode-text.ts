// Owns the modes of a screen as text: those that a program asked for and a fresh terminal lacks.

import type { Terminal } from "@xterm/headless";
import type { Inside } from "./inside.ts";

const MOUSE: Readonly<Record<string, string>> = {
  X10: "\x1b[?9h",
  VT200: "\x1b[?1000h",
  DRAG: "\x1b[?1002h",
  ANY: "\x1b[?1003h",
};
const MOUSE_ENCODING: Readonly<Record<string, string>> = {
  SGR: "\x1b[?1006h",
  SGR_PIXELS: "\x1b[?1016h",
};
const CURSOR = { block: 2, underline: 4, bar: 6 } as const;

/** None of these moves the cursor; origin and region, which do, are the cursor's. */
export function modesText(terminal: Terminal, core: Inside): string {
  const { modes } = terminal;
  const { coreService, coreMouseService } = core;
  const { cursorStyle, cursorBlink } = coreService.decPrivateModes;
  let text = "";
  if (modes.applicationCursorKeysMode) text += "\x1b[?1h";
  if (modes.applicationKeypadMode) text += "\x1b=";
  if (modes.bracketedPasteMode) text += "\x1b[?2004h";
  if (modes.insertMode) text += "\x1b[4h";
  if (terminal.options.convertEol === true) text += "\x1b[20h";
  if (modes.reverseWraparoundMode) text += "\x1b[?45h";
  if (modes.sendFocusMode) text += "\x1b[?1004h";
  if (!modes.wraparoundMode) text += "\x1b[?7l";
  text += MOUSE[coreMouseService.activeProtocol] ?? "";
  text += MOUSE_ENCODING[coreMouseService.activeEncoding] ?? "";
  if (coreService.isCursorHidden) text += "\x1b[?25l";
  if (cursorStyle !== undefined) {
    text += `\x1b[${CURSOR[cursorStyle] - (cursorBlink === true ? 1 : 0)} q`;
  }
  const title = core._inputHandler._windowTitle;
  return title === "" ? text : `${text}\x1b]2;${title}\x1b\\`;
}
