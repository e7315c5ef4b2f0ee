// The file of one recording on a full disk: at its start, in the middle, at its end.

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { DiskWriter } from "./cast-file.ts";
import { CastFile } from "./cast-file.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A disk with room for so many bytes; the last write is short, as on a real one. */
function full(room: number): {
  readonly disk: DiskWriter;
  readonly path: string;
  readonly fds: Set<number>;
} {
  const root = mkdtempSync(join(tmpdir(), "pp-full-"));
  roots.push(root);
  const fds = new Set<number>();
  const fits = (bytes: Buffer, position: number) => Math.min(bytes.length, room - position);
  const none = () => Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
  const disk: DiskWriter = {
    write: (fd, bytes, position, done) => {
      fds.add(fd);
      const length = fits(bytes, position);
      if (length > 0) write(fd, bytes, 0, length, position, done);
      else setImmediate(done, none(), 0);
    },
    writeNow: (fd, bytes, position) => {
      fds.add(fd);
      const length = fits(bytes, position);
      if (length <= 0) throw none();
      return writeSync(fd, bytes, 0, length, position);
    },
  };
  return { disk, path: join(root, "a.cast"), fds };
}

function isOpen(fd: number): boolean {
  return readdirSync("/proc/self/fd").includes(String(fd)) && existsSync(`/proc/self/fd/${fd}`);
}

test("RE21 on a disk that is full nothing begins, and nothing is left of it", () => {
  const { disk, path, fds } = full(10);
  const events = { onDrained: () => {}, onFailed: () => {} };
  expect(() => CastFile.create(path, "a header\n too long", 4_096, events, disk)).toThrow("ENOSPC");
  expect(existsSync(path)).toBe(false);
  expect([...fds].filter(isOpen)).toEqual([]);
});

test("RE21 a disk that fills up in the middle ends it once, with what was written whole", async () => {
  const { disk, path, fds } = full(20);
  const failed = await new Promise((resolve) => {
    const file = CastFile.create(
      path,
      "header\n",
      4_096,
      { onDrained: () => {}, onFailed: resolve },
      disk,
    );
    file.append("one line\n");
    file.append("the second\n");
  });
  expect(failed).toMatchObject({ code: "ENOSPC" });
  expect([...fds].filter(isOpen)).toEqual([]);
  expect(readFileSync(path, "utf8")).toBe("header\none line\nthe ");
});

test("RE21 an end with lines that the disk does not take is an end, and told", () => {
  const { disk, path, fds } = full(10);
  const failed: unknown[] = [];
  const events = { onDrained: () => {}, onFailed: (error: unknown) => void failed.push(error) };
  const file = CastFile.create(path, "header\n", 4_096, events, disk);
  file.append("one line\n");
  expect(file.close()).toBe(false);
  expect(file.append("more\n")).toBe(false);
  expect(file.close()).toBe(true);
  expect(failed).toMatchObject([{ code: "ENOSPC" }]);
  expect([...fds].filter(isOpen)).toEqual([]);
});
