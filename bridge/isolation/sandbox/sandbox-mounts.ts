// Owns what a sandbox sees of the file system, as options of bubblewrap in the order of execution: a
// read-only allowlist, a private home and /tmp, the writable roots, then read-only and hidden paths in
// them. Pure. One line is one option with its arguments.

import { join } from "node:path";
import { isInside } from "../../workspace/is-inside.ts";
import { toProtectedPaths } from "../writable-roots.ts";
import type { SandboxFacts } from "./sandbox-facts.ts";
import { SYSTEM_FOLDERS } from "./tool-folders.ts";

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
