// The shell of a terminal if the user chose none.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findUserShell } from "./program-lookup.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pairpty-shell-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a folder for PATH with these programs. */
function folderWith(...names: readonly string[]): string {
  const path = join(folder, names.join("-") || "empty");
  mkdirSync(path, { recursive: true });
  for (const name of names) {
    writeFileSync(join(path, name), "#!/bin/sh\n");
    chmodSync(join(path, name), 0o755);
  }
  return path;
}

test("T14 the shell defaults to $SHELL or bash; where there is no bash it is sh", () => {
  const both = folderWith("bash", "sh", "fish");
  const onlySh = folderWith("sh");
  const shellFor = (environment: NodeJS.ProcessEnv) => findUserShell(environment, folder);
  expect(shellFor({ SHELL: join(both, "fish"), PATH: both })).toBe(join(both, "fish"));
  expect(shellFor({ SHELL: "fish", PATH: both })).toBe(join(both, "fish"));
  expect(shellFor({ PATH: both })).toBe(join(both, "bash"));
  expect(shellFor({ SHELL: "", PATH: both })).toBe(join(both, "bash"));
  expect(shellFor({ SHELL: "/no/such/shell", PATH: both })).toBe(join(both, "bash"));
  expect(shellFor({ SHELL: "", PATH: onlySh })).toBe(join(onlySh, "sh"));
  expect(shellFor({ PATH: folderWith() })).toBe("/bin/sh");
});

test("T18 a bash in the current folder is not taken, whatever PATH says", () => {
  writeFileSync(join(folder, "bash"), "#!/bin/sh\n");
  chmodSync(join(folder, "bash"), 0o755);
  for (const PATH of ["", ".", ":", undefined]) {
    expect(findUserShell({ PATH }, folder)).toBe("/bin/sh");
  }
});
