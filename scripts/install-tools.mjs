// Installs the programs that tests run in terminals, where they are missing and this may be done:
// as root, on a system with apt-get. Elsewhere it says what is missing; the tests are skipped then.

import { spawnSync } from "node:child_process";

/** Programs, and the packages that bring them. */
const TOOLS = {
  vim: "vim",
  less: "less",
  tmux: "tmux",
  git: "git",
  make: "make",
  python3: "python3",
  // Shells whose completion is tested.
  zsh: "zsh",
  fish: "fish",
  // Walls around what agents start.
  bwrap: "bubblewrap",
  podman: "podman",
  runc: "runc",
  busybox: "busybox-static",
  "tini-static": "tini",
};
/** Where the network is closed, apt would try each mirror again and again. */
const PATIENCE = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"];
const MOST_MS = 180_000;

const missing = Object.entries(TOOLS)
  .filter(([tool]) => spawnSync("which", [tool]).status !== 0)
  .map(([, debianPackage]) => debianPackage);
if (missing.length > 0) install();

function install() {
  const mayInstall = process.getuid?.() === 0 && spawnSync("which", ["apt-get"]).status === 0;
  if (!mayInstall) {
    console.error(`missing: ${missing.join(", ")}. Install them, or their tests are skipped.`);
    process.exit(1);
  }
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", ...missing]]) {
    const { status } = spawnSync("apt-get", ["-qq", ...PATIENCE, ...args], {
      stdio: "inherit",
      env: environment,
      timeout: MOST_MS,
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}
