// Checks what workerd needs from the operating system: the C library and file descriptors.

import { release } from "node:os";
import {
  findOpenFilesProblem,
  OPEN_FILES_CURE,
  readOpenFilesLimit,
} from "../../workerd/open-files.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

const MIN_GLIBC = [2, 35] as const;
const GLIBC_CURE = "You can use a relay elsewhere: --relay URL. Or use a newer system.";

export function checkSystem(): Finding {
  const system = `${process.platform} ${release()} ${process.arch}`;
  const library = checkLibrary(system);
  return library.status === "ok" ? judgeOpenFiles(library.message, readOpenFilesLimit()) : library;
}

/** Judges the limit of open files; undefined means no limit. Pure. */
export function judgeOpenFiles(system: string, limit: number | undefined): Finding {
  const problem = findOpenFilesProblem(limit);
  return problem === undefined ? ok(system) : warn(`${system}: ${problem}`, OPEN_FILES_CURE);
}

function checkLibrary(system: string): Finding {
  if (process.platform !== "linux") return ok(system);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's report has no type of its own
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return judgeGlibc(system, header?.glibcVersionRuntime);
}

/** Judges the glibc version; undefined means another C library, as on Alpine. Pure. */
export function judgeGlibc(system: string, version: string | undefined): Finding {
  const least = MIN_GLIBC.join(".");
  if (version === undefined) {
    return warn(`${system}, without glibc: no relay can run here; it needs ${least}`, GLIBC_CURE);
  }
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > MIN_GLIBC[0] || (major === MIN_GLIBC[0] && minor >= MIN_GLIBC[1]);
  if (enough) return ok(`${system}, glibc ${version}`);
  return warn(`${system}, glibc ${version}: no relay can run here; it needs ${least}`, GLIBC_CURE);
}
