// `npm run check`: every check that needs no running program. All run; the exit code tells if any failed.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const bin = (name) => join("node_modules", ".bin", name);
/** @type {[string, string, string[]][]} */
const checks = [
  ["format", bin("oxfmt"), ["--check", "."]],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings", "."]],
  ["types: protocol", bin("tsc"), ["-p", "protocol"]],
  ["types: relay", bin("tsc"), ["-p", "relay"]],
  ["types: bridge", bin("tsc"), ["-p", "bridge"]],
  ["types: web", bin("tsc"), ["-p", "web"]],
  ["types: tests", bin("tsc"), ["-p", "."]],
  // Both sides' code in one process: both sides' types.
  ["types: flow", bin("tsc"), ["-p", "test/flow"]],
  ["dead code", bin("knip"), []],
  ["cycles", process.execPath, [join("scripts", "cycles.mjs")]],
  ["language", process.execPath, [join("scripts", "language.mjs")]],
];

let failed = 0;
const waiting = [...checks];
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
process.exit(failed === 0 ? 0 : 1);

/** Runs one waiting check after the other, beside those of other callers. */
async function runWaiting() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, command, args] = next;
    const problem = await run(command, args);
    process.stdout.write(`${problem === undefined ? "ok  " : "FAIL"} ${name}\n`);
    if (problem === undefined) continue;
    failed++;
    process.stdout.write(`${problem}\n`);
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<string | undefined>} what it printed, if it failed
 */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : output));
  });
}
