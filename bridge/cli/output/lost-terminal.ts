// Owns the end of a process whose terminal is gone. At its exit Node restores the modes of the
// terminals it began with, and aborts where that fails with EIO, as on one that was hung up (seen with
// Node 20): a descriptor that is another file by then is left alone.

import { closeSync, fstatSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isatty } from "node:tty";

const STANDARD = [0, 1, 2] as const;

/** From now on: whatever ends this process. */
export function outliveTerminal(): void {
  process.on("exit", () => STANDARD.filter(isLost).forEach(letGo));
}

/** A terminal that was hung up is a device that no longer knows its modes. */
function isLost(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor);
  } catch {
    // Closed already.
    return false;
  }
}

/** The lowest number that is free is the one that was just closed. */
function letGo(descriptor: number): void {
  closeSync(descriptor);
  openSync(devNull, "r+");
}
