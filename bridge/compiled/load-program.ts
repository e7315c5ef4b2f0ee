// Owns loading a program of the build: one script, with the code cache that V8 made on an earlier
// run, since reading and compiling is half the cost of a start. Built separately as compiled.js,
// and imports almost nothing of the programs; they call `keepCompiled` when enough has run to be
// worth caching. Of the CLI's commands only the start does so; the others only read the cache. The
// cache is executed without checks, so it is in pairpty's own state folder, which sandboxes hide
// and the policy guards. A bad cache costs a slower start, never the start.

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
import { KEEP_COMPILED } from "./cache-signal.ts";
import { compact } from "../../protocol/compact.ts";

/** Hash of each program's script: V8 itself compares only a script's length. */
declare const __BUILDS__: Readonly<Record<string, string>>;

/** When a program has settled; writing the cache blocks it for about 20 ms. */
const WRITE_DELAY_MS = 2_000;
const CHECKSUM_BYTES = 4;
/** Three programs of two versions, or of two installs. A file has up to 2 MB. */
const MAX_FILES = 6;
/** A larger file is not a cache of ours, and would take long to read. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Caches, and temporary files of a process that was killed while writing. */
const CACHE_FILE_NAME = /^(?:program|pty-host|embedded-relay)-.+\.bin(?:\.\d+)?$/u;
const WRITABLE_BY_OTHERS = 0o022;

/** The scripts of the build, and their exports. */
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

/** Runs the program's script, once per process, and returns its exports. */
export function loadProgram<Name extends keyof Programs>(name: Name): Programs[Name] {
  const script = join(dirname(fileURLToPath(import.meta.url)), `${name}.cjs`);
  const require = createRequire(script);
  const file = findCacheFile(name, script);
  const kept = file === undefined ? undefined : readCompiled(file);
  // The build escapes everything beyond ASCII.
  const source = readFileSync(script, "latin1");
  const compiled = new Script(
    `(function (require, module, exports, __filename) {${source}\nreturn module.exports;})`,
    {
      filename: script,
      importModuleDynamically: vm.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...compact({ cachedData: kept }),
    },
  );
  if (file !== undefined && (kept === undefined || compiled.cachedDataRejected === true)) {
    offerCacheWrite(() => writeCompiled(file, compiled.createCachedData()));
  }
  const run: RunScript<Programs[Name]> = compiled.runInThisContext();
  const module: { exports: Partial<Programs[Name]> } = { exports: {} };
  return run(require, module, module.exports, script);
}

/** Returns the cache's path; undefined without a home, or where the state folder is unguarded. */
function findCacheFile(name: keyof Programs, script: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const file = compiledName(name, __BUILDS__[name] ?? "", script);
    return join(stateHome(), "pairpty", "compiled", file);
  } catch {
    // No HOME, and a user that the system does not know.
    return undefined;
  }
}

/**
 * Returns the cache's file name. Includes the script's path: V8 stores it, and would print another
 * install's path in stack traces.
 */
export function compiledName(name: keyof Programs, build: string, script: string): string {
  const place = crc32(script).toString(16).padStart(8, "0");
  return `${name}-${build}-${place}-${process.version}-${process.arch}.bin`;
}

/** Returns the cache; undefined if it is missing, incomplete or writable by other users. */
export function readCompiled(file: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    // Non-blocking: opening a FIFO would wait for its writer.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    if (stat.uid !== process.getuid?.() || (stat.mode & WRITABLE_BY_OTHERS) !== 0) return undefined;
    const all = readFileSync(descriptor);
    const data = all.subarray(CHECKSUM_BYTES);
    return data.length > 0 && all.readUInt32LE(0) === crc32(data) ? data : undefined;
  } catch {
    // Missing, or not readable.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Writes the cache atomically, even with concurrent writers. */
export function writeCompiled(file: string, data: Buffer): void {
  const folder = dirname(file);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  const fresh = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // With sudo and another user's HOME, a symlink could lead to any file.
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return;
    rmSync(fresh, { force: true });
    try {
      writeFileSync(fresh, Buffer.concat([checksum, data]), { mode: 0o600, flag: "wx" });
      renameSync(fresh, file);
    } catch {
      // A partial file would use up the last of a full disk.
      rmSync(fresh, { force: true });
    }
    prune(folder);
  } catch {
    // The cache folder is not ours or does not exist: the next start is as slow as this one.
  }
}

function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => CACHE_FILE_NAME.test(name))
    .map((name) => {
      const path = join(folder, name);
      return { path, written: lstatSync(path).mtimeMs };
    });
  const old = files.toSorted((one, other) => other.written - one.written).slice(MAX_FILES);
  for (const { path } of old) rmSync(path, { force: true });
}

/** Registers the write for when the program requests it: after a delay, or on exit. */
function offerCacheWrite(write: () => void): void {
  const offered: Record<symbol, unknown> = globalThis;
  offered[KEEP_COMPILED] = () => {
    delete offered[KEEP_COMPILED];
    const timer = setTimeout(finish, WRITE_DELAY_MS).unref();
    process.once("exit", finish);
    function finish(): void {
      clearTimeout(timer);
      process.off("exit", finish);
      write();
    }
  };
}
