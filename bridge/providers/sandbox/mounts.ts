// Owns what a sandbox sees of the file system, as bubblewrap's options in the order in which they
// are carried out: a read-only allow-list, a private home and /tmp, the writable roots, then what in
// those stays read-only or hidden. Pure. One line is one option with its arguments.

import { join } from "node:path";
import { isInside } from "../../workspace/inside.ts";
import { keptOf } from "../roots.ts";
import type { SandboxFacts } from "./facts.ts";
import { SYSTEM_FOLDERS } from "./tool-folders.ts";

/**
 * To root, who is the owner of them all, they would be writable without any capability: a program
 * that the kernel runs as root is named in /proc/sys/kernel/core_pattern. bubblewrap itself covers
 * irq, bus and sysrq-trigger. To others only the first is of any use.
 */
export const PROC_READ_ONLY = ["sys", "fs", "mtrr", "pressure"];

export function mountLines(facts: SandboxFacts): string[][] {
  const { user, support, sizes } = facts;
  // Where the home itself is shared, nothing of ours is put into it.
  const isHomePrivate = !facts.roots.some(({ path }) => isInside(user.home, path));
  return [
    ["--ro-bind", "/usr", "/usr"],
    ...facts.rootFolders.map(({ path, link }) =>
      link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path],
    ),
    ...SYSTEM_FOLDERS.slice(1).map((path) => tryToRead(path)),
    ["--ro-bind", support.etc, "/etc"],
    ...support.ofEtc.map((name) => tryToRead(join("/etc", name))),
    ["--dir", "/run"],
    ["--symlink", "/run", "/var/run"],
    inMemory("/tmp", sizes?.tmp),
    inMemory("/var/tmp", sizes?.varTmp),
    ["--proc", "/proc"],
    ...facts.procMasks.map((name) => ["--ro-bind", join("/proc", name), join("/proc", name)]),
    ["--dev", "/dev"],
    inMemory("/dev/shm", sizes?.shm),
    // It is memory, too, and its owner could write files to it. Devices are written all the same.
    ["--remount-ro", "/dev"],
    ...(isHomePrivate ? privateHome(facts) : []),
    ...facts.readable
      .filter((path) => !facts.roots.some((root) => isInside(path, root.path)))
      .map((path) => tryToRead(path)),
    ...facts.roots.map(({ path }) => ["--bind", path, path]),
    ...kept(facts),
    ["--remount-ro", "/"],
  ];
}

function tryToRead(path: string): string[] {
  return ["--ro-bind-try", path, path];
}

/** A private folder, of at most so many bytes. */
function inMemory(path: string, bytes: number | undefined): string[] {
  return [...(bytes === undefined ? [] : ["--size", String(bytes)]), "--tmpfs", path];
}

function privateHome({ user, support, sizes }: SandboxFacts): string[][] {
  return [inMemory(user.home, sizes?.home), ["--bind", support.cache, join(user.home, ".cache")]];
}

/** What of the writable and readable folders is neither. Not tried: without it nothing starts. */
function kept({ roots, hidden, readable }: SandboxFacts): string[][] {
  const { anchors, guards, concealed } = keptOf(roots, hidden);
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
