// Owns the guard around a fork: no child may inherit another terminal's master.
//
// forkpty opens masters without close-on-exec. node-pty marks the inherited ones in the child, but
// its loop ends at the first unused number above 15; once a terminal has ended there is a hole, and
// everything above it leaks (measured: a child could type into another terminal). So every hole is
// plugged during the fork. All file access of the host is synchronous: nothing opens a descriptor
// in between.

import { closeSync, openSync, readdirSync } from "node:fs";
import { isOutOfDescriptors, OutOfDescriptors } from "../resource-errors.ts";
import { errorMessage } from "../errors.ts";

const DESCRIPTORS = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

export function withDescriptorPlugs<T>(fork: () => T): T {
  const plugs: number[] = [];
  try {
    const highest = highestDescriptor();
    // The kernel assigns the lowest free number, so the first one above means no hole below.
    for (let plug = -1; plug <= highest; plugs.push(plug)) plug = openSync("/dev/null", "r");
    return fork();
  } catch (error) {
    // Checked while the holes are plugged: descriptors that are free otherwise did not help the
    // fork.
    throw isOutOfDescriptors() ? new OutOfDescriptors(errorMessage(error)) : error;
  } finally {
    for (const plug of plugs) closeSync(plug);
  }
}

function highestDescriptor(): number {
  let highest = 2;
  for (const name of readdirSync(DESCRIPTORS)) highest = Math.max(highest, Number(name));
  return highest;
}
