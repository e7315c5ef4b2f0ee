// Owns packages that are tools of tests and no dependencies: installed in exact versions below
// node_modules/.cache/ when first needed, so that the lockfile and other platforms stay free of them.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = join(
  dirname(fileURLToPath(import.meta.url)),
  "..",
  "node_modules",
  ".cache",
  "pairpty",
);
/** Coding agents have a hundred megabytes. */
const INSTALL_MS = 180_000;

/** The first Node that the MCP project's own tools run on: the Inspector names it. */
const TOOLS_NODE = [22, 19];
const TOOLS_NODE_VERSION = "22.23.3";

/** The node_modules folder with these packages (`name@version`); throws if they cannot be had. */
export function cachedPackages(...packages) {
  const folder = join(cache, packages.join("+").replaceAll(/[^\w.@+-]/g, "-"));
  if (existsSync(folder)) return join(folder, "node_modules");
  mkdirSync(cache, { recursive: true });
  // Made whole elsewhere: an install that broke off must not be taken for one that is there.
  const making = mkdtempSync(join(cache, "making-"));
  try {
    const done = spawnSync(
      "npm",
      ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
        .concat(["--prefix", making])
        .concat(packages),
      {
        cwd: making,
        env: npmEnvironment(),
        stdio: ["ignore", "pipe", "pipe"],
        timeout: INSTALL_MS,
        encoding: "utf8",
      },
    );
    if (done.status !== 0) {
      throw new Error(`${packages.join(" ")} cannot be installed: ${done.stderr || done.error}`);
    }
    renameSync(making, folder);
  } catch (error) {
    // Somebody else was quicker.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return join(folder, "node_modules");
}

/** Tests take the authorities of the machine away from what they start; npm needs them. */
export function npmEnvironment() {
  const { NPM_EXTRA_CA_CERTS: kept, ...rest } = process.env;
  return kept === undefined ? rest : { ...rest, NODE_EXTRA_CA_CERTS: kept };
}

/** A Node that is new enough for those tools: this one, or one that npm brings. */
export function toolsNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [least, minMinor] = TOOLS_NODE;
  if (major > least || (major === least && minor >= minMinor)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(cachedPackages(`${name}@${TOOLS_NODE_VERSION}`), name, "bin", "node");
}
