import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readConfigFile } from "../config/config-files.ts";
import { findGuards } from "./guards.ts";
import { lookAtPath } from "./writable-roots.ts";
import { Placeholders } from "./placeholders.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function world() {
  const top = mkdtempSync(join(tmpdir(), "pairpty-holders-"));
  made.push(top);
  const root = join(top, "w");
  mkdirSync(root);
  const records = join(top, "records");
  const open = (name: string) => {
    const placeholders = new Placeholders(records, name);
    return {
      hold: () => {
        const guarded = findGuards(root, lookAtPath);
        if (guarded.ok) placeholders.hold(root, guarded.guards);
      },
      release: () => placeholders.release(),
    };
  };
  return { root, records, open, files: () => readdirSync(root).sort() };
}

const ALL = [".envrc", ".mcp.json", ".vscode", "pairpty.config.json"];

test("I77 I78 absent files stand as empty ones while a wall is up, and are gone afterwards", () => {
  const { root, open, files, records } = world();
  const one = open("one");
  one.hold();
  expect(files()).toEqual(ALL);
  // The placeholder of pairpty's own settings contains no settings.
  expect(readConfigFile(join(root, "pairpty.config.json"), "project")).toBeUndefined();
  one.hold();
  one.release();
  expect([files(), readdirSync(records)]).toEqual([[], []]);
  one.release();
});

test("I78 what is there stays, and so does what someone filled or touched meanwhile", () => {
  const { root, open, files } = world();
  writeFileSync(join(root, ".envrc"), "");
  const one = open("one");
  one.hold();
  writeFileSync(join(root, ".mcp.json"), "{}");
  writeFileSync(join(root, ".vscode", "settings.json"), "{}");
  rmSync(join(root, "pairpty.config.json"));
  writeFileSync(join(root, "pairpty.config.json"), "");
  one.release();
  expect(files()).toEqual(ALL);
});

test("I78 a bridge that crashed: its next start takes them away, even half-made ones", () => {
  const { root, records, open, files } = world();
  open("one").hold();
  const [place = ""] = readdirSync(records);
  const folder = join(records, place, "made");
  const record = { path: join(root, "later"), kind: "file", inode: null, changed: null };
  writeFileSync(join(folder, "later"), JSON.stringify(record));
  writeFileSync(join(folder, "broken"), "{");
  writeFileSync(join(root, "later"), "");
  // The start of another workspace's bridge removes nothing.
  open("two").release();
  expect(files()).toEqual([...ALL, "later"].sort());
  open("one").release();
  expect([files(), existsSync(join(records, place))]).toEqual([[], false]);
});

test("I78 of two workspaces that share a folder, the last one to leave takes them away", () => {
  const { open, files } = world();
  const [one, two] = [open("one"), open("two")];
  one.hold();
  two.hold();
  one.release();
  expect(files()).toEqual(ALL);
  two.release();
  expect(files()).toEqual([]);
});

test("I89 of git's folders for worktrees and submodules nothing is left, but what the user put there", () => {
  const { root, open } = world();
  const git = join(root, ".git");
  const left = () => readdirSync(git, { recursive: true }).map(String).sort();
  mkdirSync(git);
  const one = open("one");
  one.hold();
  expect(left()).toEqual(
    "commondir config config.worktree hooks modules worktrees worktrees/.pairpty worktrees/.pairpty/locked".split(
      " ",
    ),
  );
  one.release();
  expect(left()).toEqual([]);
  one.hold();
  mkdirSync(join(git, "worktrees", "mine"));
  one.release();
  expect(left()).toEqual(["worktrees", "worktrees/mine"]);
  // In a folder that the user made, the guard is created and removed.
  one.hold();
  expect(left()).toContain("worktrees/.pairpty/locked");
  one.release();
  expect(left()).toEqual(["worktrees", "worktrees/mine"]);
});
