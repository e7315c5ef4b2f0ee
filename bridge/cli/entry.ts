#!/usr/bin/env node
// The first code that runs: exits with a one-line error on an old Node, before loading code that it
// could not parse. Has no static imports, and is built for Node 12.20.

const LEAST_MAJOR = 20;
const LEAST_MINOR = 19;
/** `ExitCode.unavailable`, repeated because this file imports nothing. */
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
