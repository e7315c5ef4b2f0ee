// Runs `npm test` as on a machine that has only Node, git and a shell: PATH leads to Node, git and what
// every Debian system has (its required packages) and nothing else; the programs of scripts/tools.mjs
// are hidden also from whoever looks for them in the system's folders. Fails if a test fails, or if a
// test is skipped in a file that SKIPS does not name. Needs root and Debian's dpkg; elsewhere it says so
// and runs nothing, unless PAIRPTY_REQUIRE names "fresh". `--rest=FILE` writes which tests have to run with
// the programs: those of WITH_TOOLS, or none, which means all, where this script runs nothing.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compareSkips } from "./test-reports.mjs";
import { SKIPS, WITH_TOOLS } from "./test-parts.mjs";
import { TOOLS } from "./tools.mjs";

const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];
const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const restFile = process.argv.find((each) => each.startsWith("--rest="))?.slice("--rest=".length);
const given = process.argv.slice(2).filter((each) => !each.startsWith("--rest="));
const folder = mkdtempSync(join(tmpdir(), "pairpty-fresh-"));
try {
  if (restFile !== undefined) writeFileSync(restFile, canHide() ? WITH_TOOLS.join("\n") : "");
  process.exitCode = canHide() ? runFresh() : passOver();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Whether programs can be hidden here: root may mount, and dpkg knows what every system has. */
function canHide() {
  const isRoot = process.getuid?.() === 0;
  return isRoot && ["/usr/bin/unshare", "/usr/bin/dpkg-query"].every((path) => existsSync(path));
}

/** Returns the exit code. */
function passOver() {
  console.warn("skipped: a fresh machine cannot be made here (it needs root and dpkg)");
  return (process.env.PAIRPTY_REQUIRE ?? "").split(",").includes("fresh") ? 1 : 0;
}

/** Returns the exit code. */
function runFresh() {
  const report = join(folder, "report.json");
  const env = { ...process.env, PATH: makePath() };
  // What is required elsewhere is missing here, on purpose.
  env.PAIRPTY_REQUIRE = "browser";
  env.TEST_PART = "all";
  const script = `${hideTools()}\nexec npm test -- --report=${report} "$@"`;
  const unshare = ["--mount", "--propagation", "private", "/bin/sh", "-ec", script, "sh", ...given];
  const { status, error } = spawnSync("/usr/bin/unshare", unshare, {
    cwd: root,
    env,
    stdio: "inherit",
  });
  if (error) console.error(`could not hide programs: ${error.message}`);
  if (status !== 0) return status ?? 1;
  const files = JSON.parse(readFileSync(report, "utf8")).testResults.map((file) => ({
    file: relative(root, file.name),
    skipped: file.assertionResults.filter((test) => test.status !== "passed").length,
  }));
  // Of a part of the suite only the files that ran can be compared.
  const ran = new Set(files.map(({ file }) => file));
  const declared = Object.entries(SKIPS).filter(([file]) => given.length === 0 || ran.has(file));
  const differences = compareSkips(files, Object.fromEntries(declared));
  for (const line of differences) console.error(line);
  return differences.length === 0 ? 0 : 1;
}

/** Makes a folder of links to what a fresh machine has, and returns it as a PATH. */
function makePath() {
  const required = ask("dpkg-query", ["-W", "-f", "${Priority} ${binary:Package}\\n"])
    .filter((line) => line.startsWith("required "))
    .map((line) => line.slice("required ".length));
  const listed = ask("dpkg-query", ["--listfiles", ...required]);
  const programs = listed.filter((path) => SYSTEM_FOLDERS.includes(dirname(path)));
  const found = ["node", "npm", "npx", "git"].map((name) => ask("which", [name])[0]);
  const path = mkdtempSync(join(folder, "path-"));
  for (const program of [...programs, ...found]) {
    const link = join(path, basename(program));
    if (existsSync(program) && !existsSync(link)) symlinkSync(program, link);
  }
  // Links that update-alternatives makes belong to no package.
  for (const name of ["sh", "which", "awk"]) {
    const link = join(path, name);
    if (!existsSync(link)) symlinkSync(join("/usr/bin", name), link);
  }
  return path;
}

/** Returns shell lines that cover each tool with a file that cannot be run. */
function hideTools() {
  return SYSTEM_FOLDERS.flatMap((each) => Object.keys(TOOLS).map((name) => join(each, name)))
    .filter((path) => existsSync(path))
    .map((path) => `/usr/bin/mount --bind /dev/null ${path}`)
    .join("\n");
}

function ask(command, args) {
  const { stdout, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error) throw new Error(`${command} is needed to see what every system has`, { cause: error });
  return stdout.split("\n").filter((line) => line !== "");
}
