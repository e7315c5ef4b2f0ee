import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readCompiled, writeCompiled } from "./load.ts";

const CODE = Buffer.from("what V8 compiled");

describe("what V8 compiled", () => {
  let folder = "";
  let file = "";

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "pp-compiled-")), "compiled");
    file = join(folder, "program-1.bin");
  });

  afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

  test("N14 is read as it was written, by this user alone", () => {
    expect(readCompiled(file)).toBeUndefined();
    writeCompiled(file, CODE);
    expect(readCompiled(file)).toEqual(CODE);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["program-1.bin"]);
  });

  test("N14 is not taken when a byte of it changed, or the end is missing", () => {
    writeCompiled(file, CODE);
    const whole = readFileSync(file);
    for (const [at] of whole.entries()) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(readCompiled(file), `byte ${at}`).toBeUndefined();
      writeFileSync(file, whole.subarray(0, at));
      expect(readCompiled(file), `${at} bytes`).toBeUndefined();
    }
  });

  test("N14 is not taken from a link, or where others may write", () => {
    writeCompiled(file, CODE);
    const link = join(folder, "link.bin");
    symlinkSync(file, link);
    expect(readCompiled(link)).toBeUndefined();
    for (const mode of [0o620, 0o602]) {
      chmodSync(file, mode);
      expect(readCompiled(file)).toBeUndefined();
    }
    chmodSync(file, 0o644);
    expect(readCompiled(file)).toEqual(CODE);
  });

  test("N14 where it cannot be written, nothing is left and nothing is thrown", () => {
    writeCompiled(file, CODE);
    const below = join(file, "below.bin");
    writeCompiled(below, CODE);
    expect(readCompiled(below)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["program-1.bin"]);
  });

  test("N14 six files are kept, the newest", () => {
    for (let build = 1; build <= 8; build++) {
      const path = join(folder, `program-${build}.bin`);
      writeCompiled(path, CODE);
      utimesSync(path, build, build);
    }
    writeCompiled(join(folder, "program-9.bin"), CODE);
    expect(readdirSync(folder)).toEqual([4, 5, 6, 7, 8, 9].map((build) => `program-${build}.bin`));
  });
});
