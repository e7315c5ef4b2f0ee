// Owns what is said when something could not be started because its process has no free file
// descriptor, and finding out that this is why.

import { closeSync, openSync } from "node:fs";
import { messageOf, systemCode } from "./errors.ts";

/** A terminal needs its two ends, and one more for a moment. */
const NEEDED = 3;
const SHORTAGES: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE"]);
/** The newest: a free number below one in use is of no use to the next fork (descriptor-plugs.ts). */
const SHORTAGE =
  "no file descriptor is free; close terminals, the newest first, or start pairpty again with a higher limit (`ulimit -n`)";

/** For a failure that does not say it itself: node-pty says only that forkpty failed. */
export class OutOfDescriptors extends Error {
  readonly code = "EMFILE";
}

/** Returns why a start failed, and what to do where a free descriptor would have helped. */
export function formatStartFailure(error: unknown): string {
  return SHORTAGES.has(systemCode(error)) ? SHORTAGE : messageOf(error);
}

/** Whether this process could not open what a terminal needs now. */
export function isOutOfDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return SHORTAGES.has(systemCode(error));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
