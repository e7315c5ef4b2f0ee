// Owns what a sandbox sees of the file system, as options of bubblewrap in the order of execution:
// a read-only allowlist, a private home and /tmp, the writable roots, then read-only and hidden
// paths in them. Pure. One line is one option with its arguments. Also owns which folders of PATH a
// sandbox can read, and which folders around them their programs need.

import { join, basename, dirname, isAbsolute, normalize } from "node:path";
import { isInside } from "../../workspace/folders.ts";
import { toProtectedPaths } from "../writable-roots.ts";
import type { SandboxFacts } from "./sandbox-command.ts";

/**
 * root owns all of these, so they would be writable even without capabilities:
 * /proc/sys/kernel/core_pattern names a program that the kernel runs as root. bubblewrap itself masks
 * irq, bus and sysrq-trigger. For other users only the first matters.
 */
export const PROC_READ_ONLY = ["sys", "fs", "mtrr", "pressure"];

export function toMountOptions(facts: SandboxFacts): string[][] {
  const { user, files, sizes } = facts;
  // If the home itself is shared, nothing of ours is put into it.
  const isHomePrivate = !facts.roots.some(({ path }) => isInside(user.home, path));
  return [
    ["--ro-bind", "/usr", "/usr"],
    ...facts.rootFolders.map(({ path, link }) =>
      link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path],
    ),
    ...SYSTEM_FOLDERS.slice(1).map((path) => toOptionalMount(path)),
    ["--ro-bind", files.etc, "/etc"],
    ...files.etcMounts.map((name) => toOptionalMount(join("/etc", name))),
    ["--dir", "/run"],
    ["--symlink", "/run", "/var/run"],
    toMemoryFolder("/tmp", sizes?.tmp),
    toMemoryFolder("/var/tmp", sizes?.varTmp),
    ["--proc", "/proc"],
    ...facts.procMasks.map((name) => ["--ro-bind", join("/proc", name), join("/proc", name)]),
    ["--dev", "/dev"],
    toMemoryFolder("/dev/shm", sizes?.shm),
    // /dev is in memory, too, and its owner could write files there. Devices stay writable.
    ["--remount-ro", "/dev"],
    ...(isHomePrivate ? toPrivateHome(facts) : []),
    ...facts.readable
      .filter((path) => !facts.roots.some((root) => isInside(path, root.path)))
      .map((path) => toOptionalMount(path)),
    ...facts.roots.map(({ path }) => ["--bind", path, path]),
    ...toProtectedMounts(facts),
    ["--remount-ro", "/"],
  ];
}

function toOptionalMount(path: string): string[] {
  return ["--ro-bind-try", path, path];
}

/** Returns the options for a private folder with a maximum size. */
function toMemoryFolder(path: string, bytes: number | undefined): string[] {
  return [...(bytes === undefined ? [] : ["--size", String(bytes)]), "--tmpfs", path];
}

function toPrivateHome({ user, files, sizes }: SandboxFacts): string[][] {
  return [
    toMemoryFolder(user.home, sizes?.home),
    ["--bind", files.cache, join(user.home, ".cache")],
  ];
}

/**
 * Returns the options for guarded and hidden paths in writable and readable folders. They are
 * mandatory: a failing mount fails the start.
 */
function toProtectedMounts({ roots, hidden, readable }: SandboxFacts): string[][] {
  const { anchors, guards, concealed } = toProtectedPaths(roots, hidden);
  const shown = hidden.filter((path) => readable.some((folder) => isInside(path, folder)));
  return [
    ...anchors.map((path) => ["--bind", path, path]),
    ...guards.map((path) => ["--ro-bind", path, path]),
    ...[...new Set([...concealed, ...shown])].flatMap((path) => [
      ["--tmpfs", path],
      ["--remount-ro", path],
    ]),
  ];
}

// Pure, given a function that looks at the disk. Never a whole home: tokens may lie beside a `bin`,
// so a prefix is readable in full only if marker files show that it is the runtime of a language.

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
