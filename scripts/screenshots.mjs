// `npm run screenshots`: bundles what takes them beside the installed packages and runs it.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
// Two folders below the root, as the tests' support is: it finds dist/ from there.
const outfile = join(root, "node_modules", ".screenshots", "main.js");
await bundle(join(root, "test", "screenshots", "main.ts"), outfile);
const { status } = spawnSync(process.execPath, [outfile], { stdio: "inherit", cwd: root });
process.exit(status ?? 1);
