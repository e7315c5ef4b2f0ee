// Makes the declarations of `pairpty/service`: those of bridge/service/ that its entry leads to, and
// nothing from outside it, so that a program needs no types of ours or of anybody else.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const ENTRY = "bridge/service/index.ts";
const IMPORT = /(\bfrom |\bimport\()"([^"]+)"/g;

/** @param {string} outdir */
export async function writeServiceTypes(outdir) {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-types-"));
  try {
    await emit(folder);
    const root = join(folder, dirname(ENTRY));
    for (const file of reached(join(folder, ENTRY.replace(/\.ts$/, ".d.ts")))) {
      const target = join(outdir, relative(root, file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, readFileSync(file, "utf8").replaceAll(IMPORT, asBuilt));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} outDir */
async function emit(outDir) {
  const project = join(outDir, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // That is `npm run check`'s.
    noCheck: true,
    outDir,
    rootDir: resolve("."),
    types: ["node"],
    typeRoots: [resolve("node_modules/@types")],
  };
  writeFileSync(
    project,
    JSON.stringify({
      extends: resolve("tsconfig.base.json"),
      compilerOptions,
      files: [resolve(ENTRY), resolve("bridge/link/proxy-from-env.d.ts")],
    }),
  );
  await run(join("node_modules", ".bin", "tsc"), ["-p", project]);
}

/**
 * @param {string} entry
 * @returns {Set<string>} every declaration file that the entry leads to
 */
function reached(entry) {
  const root = dirname(entry);
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, , name = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      const next = resolve(dirname(file), name.replace(/\.ts$/, ".d.ts"));
      if (!name.startsWith("./") || dirname(next) !== root) {
        throw new Error(`${relative(root, file)}: its types lead to ${name}, which is not shipped`);
      }
      found.add(next);
    }
  }
  return found;
}

/** @param {string} _whole @param {string} before @param {string} name */
function asBuilt(_whole, before, name) {
  return `${before}"${name.replace(/\.ts$/, ".js")}"`;
}
