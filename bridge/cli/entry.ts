#!/usr/bin/env node
// The first code that runs: exits with a one-line error on an old Node, before loading code that it
// could not parse. Has no static imports, and is built for Node 12.20.

const MIN_MAJOR = 20;
const MIN_MINOR = 19;
/** `ExitCode.unavailable`, repeated because this file imports nothing. */
const UNAVAILABLE = 5;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) {
  void import("../compiled/load-program.ts").then(({ loadProgram: load }) =>
    load("program").commandLine(),
  );
} else {
  process.stderr.write(
    `error pairpty needs Node ${MIN_MAJOR}.${MIN_MINOR} or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = UNAVAILABLE;
}
