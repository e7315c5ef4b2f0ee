#!/usr/bin/env node
// Owns the first lines that run: a Node that is too old is told so before anything is read that it
// could not read. Imports nothing at the top, and is built for Node 12.20 on its own.

const LEAST_MAJOR = 20;
const LEAST_MINOR = 19;
/** `ExitCode.unavailable`; importing it would be an import. */
const UNAVAILABLE = 5;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) {
  void import("../compiled/load.ts").then(({ load }) => load("program").commandLine());
} else {
  process.stderr.write(
    `error pairpty needs Node ${LEAST_MAJOR}.${LEAST_MINOR} or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = UNAVAILABLE;
}
