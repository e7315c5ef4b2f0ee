// `npm run test:deployed`: runs the relay's tests against the Worker that `wrangler deploy` would upload,
// with the settings of wrangler.toml, in Miniflare. `npm test` runs them against dist/relay in workerd.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "pairpty-deployed-"));
try {
  process.exitCode = runDeployed();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the exit code. */
function runDeployed() {
  const wrangler = join(root, "node_modules", ".bin", "wrangler");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
  const built = spawnSync(wrangler, ["deploy", "--dry-run", "--outdir", folder], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (built.status !== 0) return built.status ?? 1;
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  writeFileSync(join(folder, "options.json"), JSON.stringify(workerOptions));
  const given = process.argv.slice(2);
  const files = given.some((each) => !each.startsWith("-")) ? given : ["test/relay", ...given];
  const test = join(root, "scripts", "test.mjs");
  const { status } = spawnSync(process.execPath, [test, ...files], {
    cwd: root,
    env: { ...env, PAIRPTY_TEST_WORKER: folder },
    stdio: "inherit",
  });
  return status ?? 1;
}
