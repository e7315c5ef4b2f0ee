// `npm test`: runs the tests with the same arguments. A slow moment of a shared machine should not refuse
// a change: in CI, the files in which something failed run once more, by themselves and from their start.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** More than this is no slow moment. */
const MOST_AGAIN = 4;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const reports = mkdtempSync(join(tmpdir(), "pairpty-tests-"));

try {
  process.exitCode = runTests();
} finally {
  rmSync(reports, { recursive: true, force: true });
}

function runTests() {
  const given = process.argv.slice(2);
  if (process.env.CI !== "true") return run(given);
  const report = join(reports, "first.json");
  const status = run([...given, "--reporter=default", "--reporter=json", `--outputFile=${report}`]);
  if (status === 0) return 0;
  const failed = failedIn(report);
  if (failed.length === 0 || failed.length > MOST_AGAIN) return status;
  // Each has a race to mend.
  for (const file of failed) console.warn(`a second try: ${relative(root, file)}`);
  return run([...given.filter((each) => each.startsWith("-")), ...failed]);
}

function run(args) {
  return (
    spawnSync(process.execPath, [vitest, "run", ...args], { stdio: "inherit", cwd: root }).status ??
    1
  );
}

/** None, if the run ended before it could tell. */
function failedIn(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  } catch {
    return [];
  }
}
