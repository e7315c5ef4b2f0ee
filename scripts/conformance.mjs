// Runs the official MCP conformance suite against the built product, through the relay, for both
// sets of requirements: suite → proxy → workerd → bridge. The suite cannot send an Authorization
// header, so the proxy adds one (bearer-proxy.mjs); no door without a token is opened for it.
// Ends with `N passed, N failed`: checks of required scenarios.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openBearerProxy } from "./bearer-proxy.mjs";
import { cachedPackages, toolsNode } from "./cached-packages.mjs";
import { report, required } from "./conformance-report.mjs";

const SUITE = "@modelcontextprotocol/conformance";
const SUITE_VERSION = "0.2.0-alpha.12";
const REVISIONS = ["2025-11-25", "2026-07-28"];
const READY_MS = 30_000;
/** One set takes about 10 s. */
const SET_MS = 60_000;
const END_MS = 10_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const place = mkdtempSync(join(tmpdir(), "pp-conformance-"));
/** @type {(() => void | Promise<void>)[]} */
const undo = [() => rmSync(place, { recursive: true, force: true, maxRetries: 5 })];
/** @type {Promise<void> | undefined} */
let cleaning;
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    stopped.abort(new Error(`stopped by ${signal}`));
    void cleanUp().finally(() => process.exit(1));
  });
}

let failed = 1;
try {
  failed = await main();
} finally {
  await cleanUp();
}
process.exit(failed === 0 ? 0 : 1);

async function main() {
  const node = toolsNode();
  const suite = join(cachedPackages(`${SUITE}@${SUITE_VERSION}`), ...SUITE.split("/"));
  const { endpoints, tokens } = await startProduct();
  const proxy = await openBearerProxy(endpoints.mcp, tokens.agent);
  undo.push(() => proxy.close());
  const counts = { passed: 0, failed: 0 };
  for (const revision of REVISIONS) {
    stopped.signal.throwIfAborted();
    const results = join(place, revision);
    const output = await runSuite(node, suite, revision, proxy.url, results);
    report(revision, required(suite, revision), results, output, counts);
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed;
}

/** Resolves with what the product says when it is ready. */
async function startProduct() {
  for (const name of ["work", "run"]) mkdirSync(join(place, name), { mode: 0o700 });
  const cli = join(root, "dist", "bridge", "cli.js");
  const fixtures = join(root, "dist", "conformance", "fixtures.cjs");
  const child = spawn(process.execPath, [cli, "--json", "--no-open", "--conformance", fixtures], {
    cwd: join(place, "work"),
    env: {
      ...process.env,
      HOME: place,
      XDG_STATE_HOME: join(place, "state"),
      XDG_RUNTIME_DIR: join(place, "run"),
      SHELL: "/bin/sh",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  undo.push(() => end(child));
  return await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("pairpty was not ready in time")), READY_MS).unref();
    child.once("exit", (code) => reject(new Error(`pairpty ended with ${code}`)));
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
}

/** Runs one set to its end, or to the end of its time; returns what the suite printed. */
async function runSuite(node, suite, revision, url, results) {
  const child = spawn(
    node,
    [join(suite, "dist", "index.js"), "server", "--url", url]
      .concat(["--requirements", revision])
      .concat(["--output-dir", results]),
    { cwd: place, stdio: ["ignore", "pipe", "pipe"] },
  );
  undo.push(() => end(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  await new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), SET_MS);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return output;
}

/** The last first: whoever uses something ends before it. Whoever asks again waits for the same. */
function cleanUp() {
  cleaning ??= (async () => {
    for (const step of undo.toReversed()) await step();
  })();
  return cleaning;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await gone;
  clearTimeout(timer);
}
