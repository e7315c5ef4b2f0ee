// Owns fitting a snapshot to a window that is smaller than the shared terminal: the part with the
// cursor is shown. Written as it is, the rows below the text would scroll the text out of the window.

import type * as EmulatorModule from "../../screens/emulator.ts";

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export function fitsWindow(terminal: Size, window: Size): boolean {
  return terminal.cols <= window.cols && terminal.rows <= window.rows;
}

/** Returns the snapshot of the terminal as if it had been resized to the window. */
export function fitSnapshot(
  { Emulator }: Pick<typeof EmulatorModule, "Emulator">,
  snapshot: string,
  terminal: Size,
  window: Size,
): string {
  const emulator = new Emulator(terminal.cols, terminal.rows);
  emulator.write(snapshot);
  emulator.resize(Math.min(terminal.cols, window.cols), Math.min(terminal.rows, window.rows));
  const fitted = emulator.serialize();
  emulator.dispose();
  return fitted;
}
