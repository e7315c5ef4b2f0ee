// Owns detecting images in a terminal's output: sixels and iTerm's inline files. The first one loads the code
// that draws them; xterm's parser waits for that, so nothing is lost.

import type { Terminal } from "@xterm/xterm";

/** Registers the image handlers, until the terminal is disposed. */
export function handleImages(term: Terminal): void {
  const show = async (draw: () => Promise<void>): Promise<boolean> => {
    try {
      await draw();
    } catch {
      // A broken image, or code that did not load: the text around it is shown.
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
