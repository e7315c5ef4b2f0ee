// Owns the modes of a screen as text: those that differ from a fresh terminal.

import type { Terminal } from "@xterm/headless";
import {
  CURSOR_SHOWN,
  INSERT_MODE,
  formatMode,
  MOUSE_ENCODINGS,
  MOUSE_PROTOCOLS,
  NEWLINE_MODE,
  PRIVATE_MODES,
} from "../sequences/mode-table.ts";
import type { XtermInternals } from "./xterm-internals.ts";

const CURSOR = { block: 2, underline: 4, bar: 6 } as const;

/** Returns the sequences of modes that do not move the cursor (origin and region do). */
export function formatModes(terminal: Terminal, core: XtermInternals): string {
  const { modes } = terminal;
  const { coreService, coreMouseService } = core;
  const { cursorStyle, cursorBlink } = coreService.decPrivateModes;
  let text = "";
  for (const { number, fresh, name } of PRIVATE_MODES) {
    if (name !== undefined && modes[name] !== fresh) text += formatMode(number, !fresh);
  }
  if (modes.insertMode) text += formatMode(INSERT_MODE, true, "");
  if (terminal.options.convertEol === true) text += formatMode(NEWLINE_MODE, true, "");
  const mouse = MOUSE_PROTOCOLS[coreMouseService.activeProtocol];
  if (mouse !== undefined) text += formatMode(mouse, true);
  const encoding = MOUSE_ENCODINGS[coreMouseService.activeEncoding];
  if (encoding !== undefined) text += formatMode(encoding, true);
  if (coreService.isCursorHidden) text += formatMode(CURSOR_SHOWN, false);
  if (cursorStyle !== undefined) {
    text += `\x1b[${CURSOR[cursorStyle] - (cursorBlink === true ? 1 : 0)} q`;
  }
  const title = core._inputHandler._windowTitle;
  return title === "" ? text : `${text}\x1b]2;${title}\x1b\\`;
}
