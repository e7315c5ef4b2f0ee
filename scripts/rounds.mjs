// `npm run rounds`: bundles the rounds beside the installed packages and runs them with the same arguments.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// Two folders below the root, as the tests' support is: it finds dist/ from there.
const outfile = join(root, "node_modules", ".rounds", "main.js");
await bundle(join(root, "test", "rounds", "main.ts"), outfile);
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: root,
});
process.exit(status ?? 1);
