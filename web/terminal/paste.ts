// Owns what happens to pasted text: harmless in any case, and asked about where a program would run it
// line by line as it comes.

import type { Terminal } from "@xterm/xterm";
import type { Store } from "../session/store.ts";
import { harmless } from "./pieces.ts";

type Pasting = Pick<Terminal, "paste" | "modes"> & {
  readonly buffer: { readonly active: Pick<Terminal["buffer"]["active"], "type"> };
};

const LINE_END = /(?:\r\n?|\n)$/;

/** Returns whether it was pasted; false where the person is asked first. */
export function pasted(text: string, term: Pasting, store: Pick<Store, "dialog">): boolean {
  const clean = harmless(text);
  const ended = clean.replace(LINE_END, "");
  const lines = ended.split(/\r\n?|\n/).length;
  const isOneLine = !/[\r\n]/.test(clean);
  if (isOneLine || term.modes.bracketedPasteMode) {
    // A shell does not run the end of a copied line: it would leave the cursor on an empty one.
    const isAtPrompt = term.buffer.active.type === "normal";
    term.paste(lines === 1 && isAtPrompt ? ended : clean);
    return true;
  }
  store.dialog.value = {
    kind: "confirm",
    question: () => ({
      title: lines === 1 ? "Paste a line and run it?" : `Paste ${lines} lines?`,
      text: "Each line runs at once, as if you had pressed Enter after it.",
      yes: "Paste",
      no: "Cancel",
      run: () => term.paste(clean),
    }),
  };
  return false;
}
