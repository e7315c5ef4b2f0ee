// Makes one file of a program in TypeScript, for a script that runs it at once. Packages stay outside.

import { build } from "esbuild";

/**
 * @param {string} entry
 * @param {string} outfile where its packages are found from
 */
export async function bundle(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
}
