// Owns the placeholder text for pictures that programs print: the bridge's screens keep only text,
// as do late viewers, agents and the start of a recording.

import type { Terminal } from "@xterm/headless";
import { getInternals } from "./xterm-internals.ts";

const PLACEHOLDER = Uint32Array.from("[picture]", (letter) => letter.charCodeAt(0));

/** Handles sixels and iTerm's inline files. */
export function registerPicturePlaceholders(terminal: Terminal): void {
  const { parser } = terminal;
  const printPlaceholder = (): boolean => {
    // Full-screen programs place pictures anywhere and draw over them.
    if (terminal.buffer.active.type === "alternate") return false;
    getInternals(terminal)._inputHandler.print(PLACEHOLDER, 0, PLACEHOLDER.length);
    return true;
  };
  parser.registerDcsHandler({ final: "q" }, () => {
    const column = terminal.buffer.active.cursorX;
    // A sixel leaves the cursor below its left edge, as in the page; a file leaves it after the
    // picture.
    if (printPlaceholder())
      getInternals(terminal)._inputHandler.cursorCharAbsolute({ params: [column + 1] });
    return true;
  });
  parser.registerOscHandler(
    1337,
    (data) => /^File=[^:]*\binline=1[;:]/.test(data) && printPlaceholder(),
  );
}
