// `npm test`: runs the tests with the same arguments; without a file's name, all but those that
// scripts/test-parts.mjs leaves to CI. A slow moment of a shared machine should not refuse
// a change: in CI, the files in which something failed run once more, by themselves and from their start.
// A test that needed that has a race. It is named at the end of the run, with its cause if RACES has it,
// and in the file that PAIRPTY_SECOND_TRIES names. `--report=FILE` keeps vitest's report of the last try.

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { choosePart } from "./test-parts.mjs";
import { formatSecondTry, hasCounterexample, mergeReports } from "./test-reports.mjs";

/** More failing files than this are not one slow moment. */
const MAX_FILES_AGAIN = 4;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const reports = mkdtempSync(join(tmpdir(), "pairpty-tests-"));
const given = process.argv.slice(2).filter((each) => !each.startsWith("--report="));
const keptReport = process.argv.find((each) => each.startsWith("--report="))?.slice(9);

try {
  process.exitCode = runTests();
} finally {
  rmSync(reports, { recursive: true, force: true });
}

/** Returns the exit code. */
function runTests() {
  const isCi = process.env.CI === "true";
  if (!isCi && keptReport === undefined) return run(given).status;
  const first = run(given, join(reports, "first.json"));
  const failed = first.report?.testResults.filter(({ status }) => status === "failed") ?? [];
  const isOneMoment =
    failed.length > 0 && failed.length <= MAX_FILES_AGAIN && !failed.some(hasCounterexample);
  if (!isCi || first.status === 0 || !isOneMoment) {
    keep(first.report);
    return first.status;
  }
  const files = failed.map(({ name }) => name);
  for (const file of files) console.warn(`a second try: ${relative(root, file)}`);
  const flags = given.filter((each) => each.startsWith("-"));
  const second = run([...flags, ...files], join(reports, "second.json"));
  keep(mergeReports(first.report, second.report));
  if (second.status === 0) nameSecondTries(failed);
  return second.status;
}

/** Runs vitest; `report` is undefined if it was not asked for or the run ended too early. */
function run(args, reportFile) {
  const reporting =
    reportFile === undefined
      ? []
      : ["--reporter=default", "--reporter=json", `--outputFile=${reportFile}`];
  const env = { ...process.env, TEST_PART: choosePart(given, process.env) };
  const options = { stdio: "inherit", cwd: root, env };
  const { status } = spawnSync(process.execPath, [vitest, "run", ...args, ...reporting], options);
  return { status: status ?? 1, report: reportFile === undefined ? undefined : read(reportFile) };
}

function read(reportFile) {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    return undefined;
  }
}

function keep(report) {
  if (keptReport !== undefined && report) writeFileSync(keptReport, JSON.stringify(report));
}

function nameSecondTries(failedFiles) {
  const lines = failedFiles.flatMap((file) => formatSecondTry(relative(root, file.name), file));
  for (const line of lines) console.warn(line);
  const list = process.env.PAIRPTY_SECOND_TRIES;
  if (list) appendFileSync(list, lines.map((line) => `${line}\n`).join(""));
}
