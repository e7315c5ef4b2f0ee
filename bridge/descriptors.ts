// Owns the error for a start that failed because the process has no free file descriptor, and
// detecting that cause.

import { closeSync, openSync } from "node:fs";
import { errorMessage, findSystemCode } from "./errors.ts";

/** A terminal needs both ends of its PTY, plus one descriptor during the fork. */
const NEEDED_DESCRIPTORS = 3;
const SHORTAGE_CODES: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE"]);
/**
 * The advice names the newest terminals: a free number below one in use does not help the next fork
 * (pty-host/descriptor-plugs.ts).
 */
const SHORTAGE_MESSAGE =
  "no file descriptor is free; close terminals, the newest first, or start pairpty again with a higher limit (`ulimit -n`)";

/** Replaces errors without a code: node-pty reports only that forkpty failed. */
export class OutOfDescriptors extends Error {
  readonly code = "EMFILE";
}

/** Returns why a start failed, with advice if the process ran out of descriptors. */
export function formatStartFailure(error: unknown): string {
  return SHORTAGE_CODES.has(findSystemCode(error)) ? SHORTAGE_MESSAGE : errorMessage(error);
}

/** Whether this process cannot open as many descriptors as a terminal needs. */
export function isOutOfDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED_DESCRIPTORS) opened.push(openSync("/dev/null", "r"));
    return false;
  } catch (error) {
    return SHORTAGE_CODES.has(findSystemCode(error));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
