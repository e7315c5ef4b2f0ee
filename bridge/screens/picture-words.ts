// Owns the placeholder text for pictures that programs print: the bridge's screens keep only text,
// as do late viewers, agents and the start of a recording.

import type { Terminal } from "@xterm/headless";
import { inside } from "./inside.ts";

const WORDS = Uint32Array.from("[picture]", (letter) => letter.charCodeAt(0));

/** Handles sixels and iTerm's inline files. */
export function notePictures(terminal: Terminal): void {
  const { parser } = terminal;
  const note = (): boolean => {
    // Full-screen programs place pictures anywhere and draw over them.
    if (terminal.buffer.active.type === "alternate") return false;
    inside(terminal)._inputHandler.print(WORDS, 0, WORDS.length);
    return true;
  };
  parser.registerDcsHandler({ final: "q" }, () => {
    const column = terminal.buffer.active.cursorX;
    // A sixel leaves the cursor below its left edge, as in the page; a file leaves it after the
    // picture.
    if (note()) inside(terminal)._inputHandler.cursorCharAbsolute({ params: [column + 1] });
    return true;
  });
  parser.registerOscHandler(1337, (data) => /^File=[^:]*\binline=1[;:]/.test(data) && note());
}
