// `npm run bench:package`: what `npx pairpty` costs. Packs, installs from an empty cache, and starts
// by npx, cold and warm, until the ready line. Needs the registry.

import { execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const WARM_RUNS = 5;
const MB = 1_000_000;
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

if (process.argv.length > 2) {
  const asked = process.argv.includes("--help") || process.argv.includes("-h");
  process.stderr.write(
    "`npm run bench:package` takes no flags: it packs, installs from an empty cache, starts by npx, and prints what that took. Needs the registry.\n",
  );
  process.exit(asked ? 0 : 2);
}

const root = mkdtempSync(join(tmpdir(), "pairpty-package-"));
const folders = ["run", "work", "installed"].map((name) => join(root, name));
for (const folder of folders) mkdirSync(folder, { mode: 0o700 });
const [run, work, installed] = folders;
try {
  await measure();
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

async function measure() {
  const packing = ["pack", "--json", "--loglevel=error", "--pack-destination", root];
  const output = execFileSync("npm", packing, { encoding: "utf8" });
  // The build's own lines come first.
  const [{ filename, size, unpackedSize }] = JSON.parse(output.slice(output.indexOf("[\n")));
  const tarball = join(root, filename);

  writeFileSync(join(installed, "package.json"), "{}");
  const install = ["install", tarball, "--ignore-scripts", "--cache", join(root, "a"), ...QUIET];
  const began = performance.now();
  execFileSync("npm", install, { cwd: installed, stdio: "inherit" });
  const installMs = performance.now() - began;
  const parts = packagesIn(join(installed, "node_modules"));
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);

  const byNpx = ["npx", "--yes", "--cache", join(root, "b"), "--package", tarball, "pairpty"];
  const cold = await untilReady(byNpx);
  const warmNpx = await median(() => untilReady(byNpx));
  const cli = join(installed, "node_modules", "pairpty", "dist", "bridge", "cli.js");
  const warm = await median(() => untilReady([process.execPath, cli]));

  print([
    ["machine", `${availableParallelism()} cores, Node ${process.versions.node}`],
    ["tarball", `${megabytes(size)}, unpacked ${megabytes(unpackedSize)}`],
    ["installed", `${megabytes(total)} in ${parts.length} packages, ${seconds(installMs)}`],
    ...parts.slice(0, 4).map(({ name, bytes }) => [`  ${name}`, megabytes(bytes)]),
    ["cold start", `${seconds(cold)} from an empty cache, by npx, to the ready line`],
    ["warm start", `${seconds(warmNpx)} by npx, ${seconds(warm)} without npx (medians)`],
  ]);
}

/** Milliseconds from the start to the ready line; ends it again. */
async function untilReady([command, ...args]) {
  const began = performance.now();
  const child = spawn(command, [...args, "--json", "--quiet"], {
    cwd: work,
    env: { ...process.env, XDG_STATE_HOME: join(root, "state"), XDG_RUNTIME_DIR: run },
    // A group of its own: the signal must reach npx and pairpty alike, as Ctrl-C does.
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(""));
  });
  const milliseconds = performance.now() - began;
  if (JSON.parse(line || "{}").event !== "ready") throw new Error("pairpty did not become ready");
  process.kill(-Number(child.pid), "SIGINT");
  await ended;
  return milliseconds;
}

async function median(once) {
  const figures = [];
  for (let i = 0; i < WARM_RUNS; i++) figures.push(await once());
  return figures.toSorted((a, b) => a - b)[WARM_RUNS >> 1];
}

/** Every installed package with its bytes, the largest first. */
function packagesIn(modules) {
  const names = readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
        : [name],
    );
  return names
    .map((name) => ({ name, bytes: bytesIn(join(modules, name)) }))
    .toSorted((a, b) => b.bytes - a.bytes);
}

function bytesIn(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

function print(rows) {
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(32)}${value}\n`);
}

function megabytes(bytes) {
  return `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB`;
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
