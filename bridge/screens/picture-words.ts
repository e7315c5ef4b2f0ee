// Owns what stands where a program printed a picture, on the bridge's own screens: these keep text
// alone, and so do whoever comes late, agents, and the beginning of a recording.

import type { Terminal } from "@xterm/headless";
import { inside } from "./inside.ts";

const WORDS = Uint32Array.from("[picture]", (letter) => letter.charCodeAt(0));

/** Sixels, and files in iTerm's way. */
export function notePictures(terminal: Terminal): void {
  const { parser } = terminal;
  const note = (): boolean => {
    // Full-screen programs put theirs anywhere, and draw over them.
    if (terminal.buffer.active.type === "alternate") return false;
    inside(terminal)._inputHandler.print(WORDS, 0, WORDS.length);
    return true;
  };
  parser.registerDcsHandler({ final: "q" }, () => {
    const column = terminal.buffer.active.cursorX;
    // A sixel leaves the cursor below its left edge, as in the page; a file behind it.
    if (note()) inside(terminal)._inputHandler.cursorCharAbsolute({ params: [column + 1] });
    return true;
  });
  parser.registerOscHandler(1337, (data) => /^File=[^:]*\binline=1[;:]/.test(data) && note());
}
