// Keeps the exit of a process clean after its terminal was hung up. On exit Node restores the modes of
// its original terminals and aborts if that fails with EIO (seen with Node 20); descriptors replaced by
// another file are skipped.

import { closeSync, fstatSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isatty } from "node:tty";

const STANDARD_DESCRIPTORS = [0, 1, 2] as const;

/** Registers the cleanup for every exit of this process. */
export function surviveTerminalLoss(): void {
  process.on("exit", () => STANDARD_DESCRIPTORS.filter(isLost).forEach(replaceByNull));
}

/** Whether the descriptor is a hung-up terminal: a device that is no longer a TTY. */
function isLost(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor);
  } catch {
    // Already closed.
    return false;
  }
}

/** Replaces the descriptor by /dev/null: open returns the lowest free number, which was just closed. */
function replaceByNull(descriptor: number): void {
  closeSync(descriptor);
  openSync(devNull, "r+");
}
