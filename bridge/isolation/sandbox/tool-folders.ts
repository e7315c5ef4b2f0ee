// Owns which folders of PATH a sandbox can read, and which folders around them their programs need.
// Pure, given a function that looks at the disk. Never a whole home: tokens may lie beside a `bin`, so
// a prefix is readable in full only if marker files show that it is the runtime of a language.

import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { isInside } from "../../workspace/is-inside.ts";

/** Read-only in every sandbox, whatever PATH contains. */
export const SYSTEM_FOLDERS = ["/usr", "/opt", "/nix/store"];
/** Links into /usr on most systems. */
export const ROOT_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** A prefix with all of these is a runtime, and readable in full. */
const RUNTIME_MARKS: readonly (readonly string[])[] = [
  ["lib", "include"],
  ["pyvenv.cfg"],
  ["conda-meta"],
  ["lib", "release"],
  ["src", "pkg", "VERSION"],
];
/** Folders that programs in a `bin` may need beside it, for an unknown prefix. */
const SIBLING_FOLDERS = ["lib", "lib64", "libexec"];

/** Returns the folders to show: none that contains the home or one of `never`. `exists` follows links. */
export function toolFolders(
  path: string,
  home: string,
  never: readonly string[],
  exists: (path: string) => boolean,
): string[] {
  const found = path
    .split(":")
    .filter((folder) => isAbsolute(folder))
    .map((folder) => normalize(folder).replace(/(?<=.)\/$/, ""))
    .flatMap((folder) =>
      isSystemFolder(folder) ? [] : [folder, ...listSiblings(folder, home, exists)],
    )
    .filter((folder) => ![home, ...never].some((hidden) => isInside(hidden, folder)))
    .filter((folder) => exists(folder));
  const unique = [...new Set(found)];
  return unique.filter((one) => !unique.some((all) => all !== one && isInside(one, all)));
}

function isSystemFolder(folder: string): boolean {
  return [...SYSTEM_FOLDERS, ...ROOT_FOLDERS].some((all) => isInside(folder, all));
}

function listSiblings(folder: string, home: string, exists: (path: string) => boolean): string[] {
  const prefix = dirname(folder);
  const name = basename(folder);
  // A version manager: its scripts look for everything beside themselves.
  if (name === "shims") return [prefix];
  if (name !== "bin" && name !== "sbin") return [];
  if (prefix === home || prefix === "/") return [];
  if (RUNTIME_MARKS.some((marks) => marks.every((mark) => exists(join(prefix, mark))))) {
    return [prefix];
  }
  if (prefix === join(home, ".cargo")) return [join(home, ".rustup")];
  if (prefix === join(home, "go")) return [join(prefix, "pkg")];
  return SIBLING_FOLDERS.map((beside) => join(prefix, beside));
}
