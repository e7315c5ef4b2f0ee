// Owns noticing pictures in a terminal's output, sixels and iTerm's files. The first one loads what
// draws them; the emulator waits for it, so nothing is lost.

import type { Terminal } from "@xterm/xterm";

/** Until the terminal is disposed. */
export function noticeImages(term: Terminal): void {
  const show = async (draw: () => Promise<void>): Promise<boolean> => {
    try {
      await draw();
    } catch {
      // A broken picture, or a part of the page that did not load: the text around it goes on.
    }
    return true;
  };
  term.parser.registerDcsHandler({ final: "q" }, (data) =>
    show(async () => (await import("./images.ts")).showSixel(term, data)),
  );
  term.parser.registerOscHandler(1337, (data) => {
    if (!data.startsWith("File=")) return false;
    return show(async () => (await import("./images.ts")).showFile(term, data));
  });
}
