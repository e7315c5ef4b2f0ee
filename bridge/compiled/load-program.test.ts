import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { stateHome } from "../state-home.ts";
import { compiledName, readCompiled, writeCompiled } from "./load-program.ts";

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

  test("N22 is not taken when a byte of it changed, or the end is missing", () => {
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

  test("N22 is not taken from a link, or where others may write", () => {
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

  test("N24 N25 where it cannot be written, nothing is left and nothing is thrown", () => {
    writeCompiled(file, CODE);
    const below = join(file, "below.bin");
    writeCompiled(below, CODE);
    expect(readCompiled(below)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["program-1.bin"]);
  });

  test("N24 six files are kept, the newest", () => {
    for (let build = 1; build <= 8; build++) {
      const path = join(folder, `program-${build}.bin`);
      writeCompiled(path, CODE);
      utimesSync(path, build, build);
    }
    writeCompiled(join(folder, "program-9.bin"), CODE);
    expect(readdirSync(folder)).toEqual([4, 5, 6, 7, 8, 9].map((build) => `program-${build}.bin`));
  });

  test("N22 N25 a FIFO in its place, or a file beyond all bounds, holds no start up", () => {
    mkdirSync(folder);
    execFileSync("mkfifo", ["-m", "600", file]);
    expect(readCompiled(file)).toBeUndefined();
    rmSync(file);
    writeFileSync(file, "", { mode: 0o600 });
    truncateSync(file, 1024 ** 4);
    const began = performance.now();
    expect(readCompiled(file)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("N24 a folder that is a link, and files that are none of ours, are left alone", () => {
    const elsewhere = join(folder, "..", "elsewhere");
    mkdirSync(elsewhere);
    const names = Array.from({ length: 9 }, (_, index) => `theirs-${index}`);
    for (const name of names) writeFileSync(join(elsewhere, name), name);
    symlinkSync(elsewhere, folder);
    writeCompiled(file, CODE);
    expect(readdirSync(elsewhere)).toEqual(names);
    writeCompiled(join(elsewhere, "program-1.bin"), CODE);
    expect(readdirSync(elsewhere)).toEqual(["program-1.bin", ...names]);
  });

  test("N24 a link under the name that it is first written by is not followed", () => {
    mkdirSync(folder);
    const theirs = join(folder, "..", "theirs");
    writeFileSync(theirs, "theirs");
    symlinkSync(theirs, `${file}.${process.pid}`);
    writeCompiled(file, CODE);
    expect(readFileSync(theirs, "utf8")).toBe("theirs");
    expect(readCompiled(file)).toEqual(CODE);
  });

  test("N24 what could not be written whole is removed", () => {
    mkdirSync(file, { recursive: true });
    writeCompiled(file, CODE);
    expect(readdirSync(folder)).toEqual(["program-1.bin"]);
  });
});

test("N14 two installs of one build have a file each: stack traces name their own scripts", () => {
  const nameIn = (install: string) => compiledName("program", "abc", `${install}/program.cjs`);
  expect(nameIn("/usr/lib/pairpty")).toBe(nameIn("/usr/lib/pairpty"));
  expect(nameIn("/usr/lib/pairpty")).not.toBe(nameIn("/home/me/pairpty"));
  expect(nameIn("/usr/lib/pairpty")).toMatch(/^program-abc-[0-9a-f]{8}-v.+\.bin$/);
});

test("N23 no folder that depends on where one is: it could bring code along", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("XDG_STATE_HOME", "/state");
  expect(stateHome()).toBe("/state");
  for (const home of ["", "here"]) {
    vi.stubEnv("HOME", home);
    for (const state of ["", "state"]) {
      vi.stubEnv("XDG_STATE_HOME", state);
      expect(stateHome()).toBe(join(userInfo().homedir, ".local", "state"));
    }
  }
});
