// Owns a file system of a few MiB that a test can fill to the last block. It needs the right to mount;
// where that is missing a test skips with a line, unless PAIRPTY_REQUIRE names "mount".

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findSystemCode } from "../../bridge/errors.ts";
import { passOver } from "./required.ts";

export interface SmallDisk {
  readonly folder: string;
  /** Takes every block that is left. */
  fill(): void;
  /** Gives back what `fill` took. */
  empty(): void;
}

const LARGE = Buffer.alloc(1 << 20);
/** One page, which is what tmpfs counts. */
const SMALL = Buffer.alloc(4_096);

/** Undefined where this machine lets nobody mount one. Unmounted when the test is over. */
export function mountSmallDisk(mebibytes = 1): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "pp-disk-"));
  const options = ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "none", folder];
  const { status, stderr, error } = spawnSync("mount", options, { encoding: "utf8" });
  if (status !== 0) {
    rmdirSync(folder);
    passOver("mount", error ?? new Error(stderr));
    return undefined;
  }
  onTestFinished(() => {
    // Lazily: a process that is about to end may still write its log there.
    spawnSync("umount", ["-l", folder]);
    rmdirSync(folder);
  });
  let files = 0;
  const ballast = (): string => join(folder, `ballast-${files}`);
  return {
    folder,
    fill: () => {
      files += 1;
      const fd = openSync(ballast(), "w");
      for (const block of [LARGE, SMALL]) while (isTaken(fd, block));
      closeSync(fd);
    },
    empty: () => {
      for (; files > 0; files--) rmSync(ballast(), { force: true });
    },
  };
}

function isTaken(fd: number, block: Uint8Array): boolean {
  try {
    writeFileSync(fd, block);
    return true;
  } catch (error) {
    if (findSystemCode(error) === "ENOSPC") return false;
    throw error;
  }
}
