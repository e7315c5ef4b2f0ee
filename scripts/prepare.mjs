// Makes a fresh or stale tree ready: installs what the lockfile says, then builds what changed.
// Uses Node alone, because it runs before anything is installed. `--no-build` stops after installing.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./installed.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const MIN_NODE = [20, 19];
// The installed tree remembers its own lockfile, so removing node_modules removes the memory too.
const installStamp = join(root, "node_modules", ".pairpty-installed");
const buildStamp = join(root, "dist", ".built-from");
const SOURCES = ["protocol", "relay", "bridge", "web", "bench", "scripts"].concat([
  "test/conformance",
  "package-lock.json",
]);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
  fail(`Node ${process.versions.node} is too old: pairpty needs ${MIN_NODE.join(".")} or newer.`);
}

const lock = hashFiles(["package-lock.json", "package.json"]);
if (read(installStamp) !== lock) {
  const installed = read(join(root, "node_modules", ".package-lock.json"));
  if (!isInstalled(read(join(root, "package-lock.json")), installed)) {
    say("installing dependencies (npm ci) …");
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  }
  writeFileSync(installStamp, lock);
}

if (!process.argv.includes("--no-build")) {
  const sources = hashFiles(SOURCES.flatMap(listFiles));
  if (read(buildStamp) !== sources) {
    say("building …");
    run(process.execPath, [join(root, "scripts", "build.mjs")]);
    mkdirSync(dirname(buildStamp), { recursive: true });
    writeFileSync(buildStamp, sources);
  }
}

function listFiles(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!readdirSafe(full)) return [path];
  return readdirSafe(full)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => listFiles(join(path, entry.name)));
}

function readdirSafe(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

function hashFiles(paths) {
  const hash = createHash("sha256");
  for (const path of paths)
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function run(command, args) {
  // stdout belongs to whoever runs after us (`npm start --json` prints only JSON there).
  const done = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (done.error) fail(`could not run ${command}: ${done.error.message}`);
  if (done.status !== 0) fail(`${command} ${args.join(" ")} failed (exit ${done.status}).`);
}

function say(text) {
  process.stderr.write(`pairpty: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
