// Owns one headless xterm: its options, its width tables, and writing to it at once.
// Loaded only when a screen is first needed: it costs more than the rest of the bridge.

import { Unicode11Addon } from "@xterm/addon-unicode11";
import type { Terminal } from "@xterm/headless";
import headless from "@xterm/headless";
import { inside } from "./inside.ts";

/** Lines above the screen that a snapshot may have. */
export const SCROLLBACK_LINES = 1_000;

/** xterm has no narrower grid. */
const LEAST_COLS = 2;

export function createEmulator(cols: number, rows: number): Terminal {
  const terminal = new headless.Terminal({
    cols: Math.max(LEAST_COLS, cols),
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
    logLevel: "off",
    windowOptions: { getWinSizeChars: true },
  });
  // The same widths as the page's, or a wide character would shift everything behind it.
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  guardErase(terminal);
  return terminal;
}

/**
 * xterm 6 throws when the screen is erased up to the cursor (CSI 1 J) while that is in the very last
 * cell and there is no scrollback. All of it is erased then, which it can do.
 */
function guardErase(terminal: Terminal): void {
  const core = inside(terminal);
  terminal.parser.registerCsiHandler({ final: "J" }, ([kind]) => {
    const { active } = core._bufferService.buffers;
    const isLast = active.x + 1 >= terminal.cols && active.y + 1 >= active.lines.length;
    if (kind !== 1 || !isLast) return false;
    return core._inputHandler.eraseInDisplay({ params: [2] });
  });
}

/** The bytes are on the screen when this returns; `write` would do the same some turns later. */
export function writeNow(terminal: Terminal, data: Uint8Array | string): void {
  void inside(terminal)._inputHandler.parse(data);
}

export function resizeTo(terminal: Terminal, cols: number, rows: number): void {
  terminal.resize(Math.max(LEAST_COLS, cols), rows);
}
