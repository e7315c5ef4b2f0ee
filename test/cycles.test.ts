// The check for cycles of imports, on parts made for it.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pp-cycles-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function check(files: Readonly<Record<string, string>>): { code: number | null; words: string } {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/cycles.mjs", root, "part"],
    { encoding: "utf8" },
  );
  return { code: status, words: stdout + stderr };
}

test("W24 W110 a cycle through three folders is found, and named by its files", () => {
  const { code, words } = check({
    "part/main.ts": 'import "./a/one.ts";',
    "part/a/one.ts": 'import { two } from "../b/two.tsx"; export const one = () => two;',
    "part/b/two.tsx": 'export const two = () => import("../c.ts");',
    "part/c.ts": 'export { one } from "./a/one.ts";',
  });
  expect(words).toContain(
    "A cycle in part/:\n  part/a/one.ts imports part/b/two.tsx\n  part/b/two.tsx imports part/c.ts\n  part/c.ts imports part/a/one.ts\n",
  );
  expect(code).toBe(1);
});

test("W24 files of one folder may need each other: folders are what counts", () => {
  const within = {
    "part/a/one.ts": 'import { two } from "./two.ts"; export const one = () => two;',
    "part/a/two.ts": 'import { one } from "./one.ts"; export const two = () => one;',
    "part/b/three.ts": 'import { one } from "../a/one.ts"; export const three = one;',
  };
  expect(check(within)).toEqual({ code: 0, words: "" });
});

test("W110 neither types nor tests make a cycle", () => {
  const typed = {
    "part/a/one.ts": 'import type { Two } from "../b/two.ts"; export type One = Two;',
    "part/b/two.ts": 'import { one } from "../a/other.ts"; export type Two = typeof one;',
    "part/a/other.ts": "export const one = 1;",
    "part/a/one.test.ts": 'import "../b/two.ts";',
  };
  expect(check(typed)).toEqual({ code: 0, words: "" });
});

test("W24 what is not to be parsed fails the check", () => {
  const { code, words } = check({ "part/a.ts": "import {" });
  expect(code).not.toBe(0);
  expect(words).toContain("part/a.ts");
});

test("W109 W110 an import that does not point down the documents' table is named, and so is a folder that is not in it", () => {
  const table = [
    "| line | folders of `part/` |",
    "| ---- | --- |",
    "| 1 | `main.tsx` |",
    "| 2 | `a/`, `b/` |",
    "| 3 | `c/` |",
  ];
  const files = {
    "docs/architecture.md": `${table.join("\n")}\n\nMore.\n`,
    "part/main.tsx": 'import { one } from "./a/one.ts"; export const main = one;',
    "part/a/one.ts": 'import { three } from "../c/three.ts"; export const one = three;',
    "part/b/two.ts": "export const two = 2;",
    "part/c/three.ts": 'import { own } from "../beside.ts"; export const three = own;',
    "part/beside.ts": 'import { other } from "./other.ts"; export const own = other;',
    "part/other.ts": "export const other = 1;",
  };
  expect(check(files)).toEqual({ code: 0, words: "" });
  const { code, words } = check({
    ...files,
    "part/b/two.ts": 'import { one } from "../a/one.ts"; export const two = one;',
    "part/d/four.ts": "export const four = 4;",
    "part/other.ts": 'import { two } from "./b/two.ts"; export const other = two;',
  });
  expect(words).toContain("part/b/two.ts imports part/a/one.ts");
  expect(words).toContain("part/other.ts imports part/b/two.ts");
  expect(words).toContain("part/d/ is in no line");
  expect(code).toBe(1);
  rmSync(join(root, "part/d"), { recursive: true });
  rmSync(join(root, "part/b"), { recursive: true });
  const { words: later } = check({ "part/other.ts": "export const other = 1;" });
  expect(later).toContain("names part/b, which is not there");
});
