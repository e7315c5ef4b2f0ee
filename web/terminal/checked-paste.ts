// Owns pasting text: removes control characters, and asks first if the program would run every line
// immediately.

import type { Terminal } from "@xterm/xterm";
import type { Store } from "../session/store.ts";
import { stripControls } from "./input-pieces.ts";

type PasteTarget = Pick<Terminal, "paste" | "modes"> & {
  readonly buffer: { readonly active: Pick<Terminal["buffer"]["active"], "type"> };
};

const LINE_END = /(?:\r\n?|\n)$/;

/** Pastes text; returns false if the user has to confirm it first. */
export function pasteWithConfirmation(
  text: string,
  term: PasteTarget,
  store: Pick<Store, "dialog">,
): boolean {
  const clean = stripControls(text);
  const ended = clean.replace(LINE_END, "");
  const lines = ended.split(/\r\n?|\n/).length;
  const isOneLine = !/[\r\n]/.test(clean);
  if (isOneLine || term.modes.bracketedPasteMode) {
    // With marked pastes a shell does not run the line end; it would only leave the cursor on an empty line.
    const isAtPrompt = term.buffer.active.type === "normal";
    term.paste(lines === 1 && isAtPrompt ? ended : clean);
    return true;
  }
  store.dialog.value = {
    kind: "confirm",
    question: () => ({
      title: lines === 1 ? "Paste and run this line?" : `Paste ${lines} lines?`,
      text: "Each line will run immediately.",
      yes: "Paste",
      no: "Cancel",
      run: () => term.paste(clean),
    }),
  };
  return false;
}
