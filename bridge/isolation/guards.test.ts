import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, onTestFinished } from "vitest";
import { strictest, isAtLeast } from "../../protocol/isolation.ts";
import type { FileKind } from "./guards.ts";
import { listAnchors, findGuards, ActiveGuards } from "./guards.ts";
import { findRootProblem } from "./sandbox-locations.ts";

test("I80 while walls stand only what all of them guard may be guarded, over bridges too; then everything", () => {
  const folder = mkdtempSync(join(tmpdir(), "pairpty-standing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "isolation", "standing.json");
  const standing = new ActiveGuards(file);
  expect(standing.allows("/w/.git/hooks")).toBe(true);
  standing.add(["/w/.envrc", "/w/.vscode"]);
  standing.add(["/w/.envrc", "/w/.git/hooks"]);
  const next = new ActiveGuards(file);
  for (const one of [standing, next]) {
    const paths = ["/w/.envrc", "/w/.vscode", "/w/.git/hooks"];
    expect(paths.map((path) => one.allows(path))).toEqual([true, false, false]);
  }
  next.clear();
  expect([next.allows("/w/.vscode"), existsSync(file)]).toEqual([true, false]);
});

/** Returns a disk that contains only these files and folders. */
const disk = (things: Readonly<Record<string, FileKind>>) => (path: string) =>
  things[path] ?? "absent";

function describeGuards(things: Readonly<Record<string, FileKind>>): string[] | string {
  const guarded = findGuards("/w", disk(things));
  if (!guarded.ok) return guarded.error;
  return guarded.guards.map(
    ({ path, kind, isAbsent }) => `${path.slice(3)} ${kind}${isAbsent ? " absent" : ""}`,
  );
}

const ABSENT = [
  ".vscode folder absent",
  ".envrc file absent",
  ".mcp.json file absent",
  "pairpty.config.json file absent",
];

test("I5 I19 I77 what would run as the user later is guarded; nothing below an absent .git", () => {
  expect(describeGuards({})).toEqual(ABSENT);
  expect(describeGuards({ "/w/.git": "folder" })).toEqual([
    ".git/hooks folder absent",
    ".git/config file absent",
    ".git/commondir file absent",
    ".git/config.worktree file absent",
    ".git/modules folder absent",
    ".git/worktrees folder absent",
    ".git/worktrees/.pairpty folder absent",
    ...ABSENT,
  ]);
  expect(
    describeGuards({
      "/w/.git": "folder",
      "/w/.git/hooks": "folder",
      "/w/.git/config": "file",
      "/w/.git/modules": "folder",
      "/w/.envrc": "file",
      "/w/.vscode": "folder",
      "/w/.claude": "folder",
    }),
  ).toEqual([
    ".git/hooks folder",
    ".git/config file",
    ".git/commondir file absent",
    ".git/config.worktree file absent",
    ".git/modules folder",
    ".git/worktrees folder absent",
    ".git/worktrees/.pairpty folder absent",
    ".vscode folder",
    ".envrc file",
    ".mcp.json file absent",
    "pairpty.config.json file absent",
    ".claude folder",
  ]);
});

test("I76 the .git of a linked worktree, which says where git's config is, is guarded itself", () => {
  expect(describeGuards({ "/w/.git": "file" })).toEqual([".git file", ...ABSENT]);
});

test("I79 a link cannot be guarded: it is refused by name", () => {
  for (const path of ["/w/.git", "/w/.envrc"]) {
    expect(describeGuards({ [path]: "link" })).toContain(`${path} is a symbolic link`);
  }
  expect(describeGuards({ "/w/.git": "folder", "/w/.git/hooks": "link" })).toContain(
    "/w/.git/hooks",
  );
});

test("I75 every folder on the way to a guard is one that cannot be renamed", () => {
  expect(listAnchors("/w", "/w/.envrc")).toEqual([]);
  expect(listAnchors("/w", "/w/.git/hooks")).toEqual(["/w/.git"]);
  expect(listAnchors("/w", "/w/.local/state/pairpty")).toEqual(["/w/.local", "/w/.local/state"]);
  expect(listAnchors("/w", "/w")).toEqual([]);
});

test("I2 no wall can be built around the system's own folders", () => {
  for (const root of ["/", "/etc", "/usr", "/proc/1/root", "/dev/shm"]) {
    expect(findRootProblem(root), root).toContain("belongs to the system");
  }
  for (const root of ["/home/me", "/root", "/tmp/x", "/srv/www", "/run/media/me/disk"]) {
    expect(findRootProblem(root), root).toBeUndefined();
  }
});

test("I1 levels have one order", () => {
  expect(strictest()).toBe("none");
  expect(strictest("none", undefined, "sandbox")).toBe("sandbox");
  expect(strictest("container", "sandbox")).toBe("container");
  expect(isAtLeast(undefined, undefined)).toBe(true);
  expect(isAtLeast("none", "sandbox")).toBe(false);
  expect(isAtLeast("container", "sandbox")).toBe(true);
});

test("I80 a later wall guards nothing that those which stand do not", () => {
  const things = { "/w/.git": "folder", "/w/.claude": "folder", "/w/.envrc": "file" } as const;
  const allows = (path: string) => path === "/w/.envrc";
  const guarded = findGuards("/w", disk(things), allows);
  expect(guarded.ok && guarded.guards.map(({ path }) => path)).toEqual(["/w/.envrc"]);
});
