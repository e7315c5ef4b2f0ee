// Owns the programs that are run in terminals. Each says when it is ready, then waits for a keystroke:
// who types drives, and nothing is printed before somebody looks.

import { BULK_LINE, READY_MARK } from "./plan.ts";

const RAW = `stty raw -echo; printf '${READY_MARK}';`;
const WAIT = "head -c 1 >/dev/null;";

/** Sends every byte back. */
export const ECHO_PROGRAM = sh(`${RAW} exec cat`);

/** As fast as it can, for ever. */
export const FLOOD_PROGRAM = sh(`${RAW} ${WAIT} exec yes '${BULK_LINE}'`);

/** The same under a shell that prints its mark whenever ^C has ended it; a newline starts it again. */
export const INTERRUPTIBLE_PROGRAM = sh(
  `stty -echo; trap : INT; while :; do printf '${READY_MARK}'; read line; yes '${BULK_LINE}'; done`,
);

/** Waits for a keystroke that does not come. */
export const IDLE_PROGRAM = sh(`${RAW} exec sleep 600`);

/**
 * Prints the file so many times. It stays behind the last byte: node-pty may lose the end of what a
 * program prints just before it exits.
 */
export function bulkProgram(file: string, times = 1): readonly string[] {
  const print = `for i in $(seq ${times}); do cat "$1"; done`;
  return sh(`${RAW} ${WAIT} ${print}; exec sleep 600`, file);
}

/** Prints the file, then says so. */
export function printedProgram(file: string): readonly string[] {
  return sh(`${RAW} ${WAIT} cat "$1"; printf '${READY_MARK}'; exec sleep 600`, file);
}

/** So many bytes a second, in a piece every few milliseconds. */
export function steadyProgram(bytesPerSecond: number, everyMs: number): readonly string[] {
  const size = Math.round((bytesPerSecond * everyMs) / 1000);
  const script = `
    const { writeSync } = require("node:fs");
    const line = ${JSON.stringify(`${BULK_LINE}\n`)};
    const piece = Buffer.from(line.repeat(Math.ceil(${size} / line.length)).slice(0, ${size}));
    const beganAt = performance.now();
    let sent = 0;
    setInterval(() => {
      const due = Math.floor((performance.now() - beganAt) / ${everyMs}) - sent;
      for (let i = 0; i < Math.min(due, 4); i++) {
        let at = 0;
        while (at < piece.length) {
          try { at += writeSync(1, piece, at); } catch (error) { if (error.code !== "EAGAIN") throw error; }
        }
      }
      sent += due;
    }, ${everyMs});`;
  return sh(`${RAW} ${WAIT} exec "$1" -e "$2"`, process.execPath, script);
}

function sh(script: string, ...args: string[]): readonly string[] {
  return ["/bin/sh", "-c", script, "sh", ...args];
}
