// What is made from the table of settings: `node scripts/config-docs.mjs` writes
// docs/configuration.md; the build writes dist/config.schema.json.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";

/** bridge/config/reference.ts as it stands. */
async function loadReference() {
  // Inside the project, where its packages are found.
  mkdirSync("dist", { recursive: true });
  const folder = mkdtempSync(join("dist", "reference-"));
  const outfile = join(folder, "reference.mjs");
  try {
    await bundle("bridge/config/reference.ts", outfile);
    return await import(pathToFileURL(resolve(outfile)).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function writeConfigSchema() {
  const { jsonSchema } = await loadReference();
  writeFileSync("dist/config.schema.json", `${JSON.stringify(jsonSchema(), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { formatReference } = await loadReference();
  writeFileSync("docs/configuration.md", formatReference());
}
