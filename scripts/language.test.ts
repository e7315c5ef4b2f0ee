// The check of names and comments, on small sources.

import { expect, test } from "vitest";
import { findMissingSources, judgeFolder, readLanguage, toFolder } from "./language.mjs";

const read = (...sources: string[]) =>
  sources.map((source, index) => readLanguage(`web/x/${index}.ts`, source));

test("X10 names of a private language are found, with the words to write", () => {
  const names = [
    "export interface RoomWish {}",
    "type RoomParts = {};",
    "const MOST_BYTES = 1;",
    "function nameOf() {}",
  ];
  for (const name of names) expect(judgeFolder(read(name)), name).toHaveLength(1);
  expect(judgeFolder(read("export interface RoomDeps {}\nfunction getName() {}"))).toEqual([]);
});

test("X10 a folder's function docs begin with a verb, and its comments need one reading", () => {
  const plain = "/** Returns the name. */\nfunction getName() {}\n";
  const without = "/** The name. */\nfunction getName() {}\n";
  const riddle = "/** Whoever was told, is another than before. */\nlet x;\n";
  expect(judgeFolder(read(plain.repeat(30), without))).toEqual([]);
  expect(judgeFolder(read(plain.repeat(10), without, without))).toHaveLength(2);
  const wrapped = "/**\n * Returns the name,\n * or none.\n */\nfunction getName() {}\n";
  expect(judgeFolder(read(wrapped.repeat(10)))).toEqual([]);
  expect(judgeFolder(read(plain.repeat(10), riddle))).toEqual([]);
  expect(judgeFolder(read(plain.repeat(10), riddle, riddle))).toHaveLength(2);
});

test("X10 a folder is counted with what is below it", () => {
  expect(toFolder("bridge/dialects/pty/x.ts")).toBe("bridge/dialects");
  expect(toFolder("protocol/x.ts")).toBe("protocol");
});

test("X30 a source that a comment names and that does not exist is found", () => {
  const find = (text: string) =>
    findMissingSources("web/x/a.ts", text, ["web/x/b.ts", "web/c.tsx"]);
  expect(find("// See b.ts, x/b.ts and c.tsx; settings are in *-settings.ts.")).toEqual([]);
  expect(find("/** Done in y/b.ts. */")).toEqual([
    "web/x/a.ts:1 names y/b.ts, which does not exist",
  ]);
  expect(find(' * Before d.ts.\nimport "./e.ts";')).toHaveLength(1);
});
