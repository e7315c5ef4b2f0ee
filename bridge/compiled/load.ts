// Owns loading a program of the build: one script, with what V8 compiled of it the last time it ran
// here. Reading and compiling is half of what a start costs. Built on its own, as compiled.js, and
// imports next to nothing of the programs; they say by `keepCompiled` when enough of them has run to
// be worth keeping. Of the verbs only a start says so: the others read what it kept, and write nothing.
//
// What is kept is run as it is, so it stands in pairpty's own state folder, which sandboxes hide and
// the policy guards. Whatever is wrong with it costs a slower start, never the start.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants as vm, Script } from "node:vm";
import { crc32 } from "node:zlib";
import type * as programs from "../cli/exports.ts";
import { stateHome } from "../state-home.ts";
import { KEEP } from "./keep.ts";

/** By program, what its script hashes to: V8 itself compares no more than a script's length. */
declare const __BUILDS__: Readonly<Record<string, string>>;

/** When a program has settled: making the file holds it up for some 20 ms. */
const SETTLED_MS = 2_000;
const CHECKSUM_BYTES = 4;
/** Three programs of two versions, or of two installs. A file has up to 2 MB. */
const MOST_FILES = 6;
/** More is none of ours, and reading it takes long. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Ours, and what a process left that was killed as it wrote. */
const OUR_NAME = /^(?:program|pty-host|embedded-relay)-.+\.bin(?:\.\d+)?$/u;
const OTHERS_MAY_WRITE = 0o022;

/** The scripts of the build, and what they export. */
interface Programs {
  program: typeof programs;
  "pty-host": object;
  "embedded-relay": object;
}

type RunScript<Exports> = (
  require: NodeJS.Require,
  module: { exports: Partial<Exports> },
  exports: Partial<Exports>,
  filename: string,
) => Exports;

/** Runs the program's script, once in this process, and returns what it exports. */
export function load<Name extends keyof Programs>(name: Name): Programs[Name] {
  const script = join(dirname(fileURLToPath(import.meta.url)), `${name}.cjs`);
  const require = createRequire(script);
  const file = fileFor(name, script);
  const kept = file === undefined ? undefined : readCompiled(file);
  // The build escapes everything beyond ASCII.
  const source = readFileSync(script, "latin1");
  const compiled = new Script(
    `(function (require, module, exports, __filename) {${source}\nreturn module.exports;})`,
    {
      filename: script,
      importModuleDynamically: vm.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(kept === undefined ? {} : { cachedData: kept }),
    },
  );
  if (file !== undefined && (kept === undefined || compiled.cachedDataRejected === true)) {
    offerToKeep(() => writeCompiled(file, compiled.createCachedData()));
  }
  const run: RunScript<Programs[Name]> = compiled.runInThisContext();
  const module: { exports: Partial<Programs[Name]> } = { exports: {} };
  return run(require, module, module.exports, script);
}

/** Undefined where there is no place for it: no home, or a system whose state folder nobody guards yet. */
function fileFor(name: keyof Programs, script: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const file = compiledName(name, __BUILDS__[name] ?? "", script);
    return join(stateHome(), "pairpty", "compiled", file);
  } catch {
    // No HOME, and a user whom the system does not know.
    return undefined;
  }
}

/** By the script's place, too: V8 keeps it, and would name another install's in what went wrong. */
export function compiledName(name: keyof Programs, build: string, script: string): string {
  const place = crc32(script).toString(16).padStart(8, "0");
  return `${name}-${build}-${place}-${process.version}-${process.arch}.bin`;
}

/** Undefined where there is none, or none that only this user can have written, whole. */
export function readCompiled(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    // Not blocking: opening a FIFO would wait for its writer.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined;
    if (stat.uid !== process.getuid?.() || (stat.mode & OTHERS_MAY_WRITE) !== 0) return undefined;
    const all = readFileSync(descriptor);
    const data = all.subarray(CHECKSUM_BYTES);
    return data.length > 0 && all.readUInt32LE(0) === crc32(data) ? data : undefined;
  } catch {
    // Not there yet, or not for us.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whole or not at all, whoever else writes it at the same time. */
export function writeCompiled(file: string, data: Buffer): void {
  const folder = dirname(file);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  const fresh = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // As with sudo and the HOME of somebody else, who could lead us to any file by a link.
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return;
    rmSync(fresh, { force: true });
    try {
      writeFileSync(fresh, Buffer.concat([checksum, data]), { mode: 0o600, flag: "wx" });
      renameSync(fresh, file);
    } catch {
      // A part of it would keep the last of a full disk.
      rmSync(fresh, { force: true });
    }
    prune(folder);
  } catch {
    // A folder of somebody else's, or none: the next start is as slow as this one.
  }
}

function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => OUR_NAME.test(name))
    .map((name) => {
      const path = join(folder, name);
      return { path, written: lstatSync(path).mtimeMs };
    });
  const old = files.toSorted((one, other) => other.written - one.written).slice(MOST_FILES);
  for (const { path } of old) rmSync(path, { force: true });
}

/** Once the program says so: some time later, or when it ends before that. */
function offerToKeep(write: () => void): void {
  const offered: Record<symbol, unknown> = globalThis;
  offered[KEEP] = () => {
    delete offered[KEEP];
    const timer = setTimeout(finish, SETTLED_MS).unref();
    process.once("exit", finish);
    function finish(): void {
      clearTimeout(timer);
      process.off("exit", finish);
      write();
    }
  };
}
