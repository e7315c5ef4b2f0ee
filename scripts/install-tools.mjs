// Installs the programs that tests run in terminals, where they are missing and this may be done:
// as root, on a system with apt-get. Elsewhere it says what is missing; the tests are skipped then.

import { spawnSync } from "node:child_process";
import { TOOLS } from "./tools.mjs";

/** Where the network is closed, apt would try each mirror again and again. */
const PATIENCE = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20"];
const MAX_MS = 180_000;

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
      timeout: MAX_MS,
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}
