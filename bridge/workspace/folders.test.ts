import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FolderFacts } from "./folders.ts";
import { configRoot, locateFolders, stateRoot, listFoldersUpward } from "./folders.ts";
import { makeFolder } from "./private-file.ts";

const NOBODY = 65_534;

function scratch(): string {
  const root = mkdtempSync(join(tmpdir(), "pp-folders-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

/** Root may enter every folder, so these tests need another user. */
function asSomebody<T>(run: () => T): T {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}

test("C29 a folder that may not be entered is named itself, and so is one behind it", () => {
  const root = scratch();
  chmodSync(root, 0o755);
  const closed = join(root, "closed");
  mkdirSync(join(closed, "inner"), { recursive: true });
  chmodSync(closed, 0o000);
  onTestFinished(() => chmodSync(closed, 0o700));
  const expected = `${closed} cannot be entered: permission denied`;
  expect(() => asSomebody(() => locateFolders(closed))).toThrow(expected);
  expect(() => asSomebody(() => locateFolders(join(closed, "inner")))).toThrow(
    `${join(closed, "inner")} cannot be entered: permission denied`,
  );
  expect(() => locateFolders(join(root, "none"))).toThrow("is not a folder");
});

test("C29 a folder is made with its parents, and where none can be made that is said at once", () => {
  const root = scratch();
  const path = join(root, "a", "b", "c");
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  // mkdir's `recursive` never returns there.
  expect(() => makeFolder("/proc/no/such/folder")).toThrow(/ENOENT|EROFS|EACCES/);
  expect(() => makeFolder("/dev/null/folder")).toThrow(/ENOTDIR/);
});

test("C3 two folders have a state and a runtime folder each, by whatever way one comes to them", () => {
  const root = scratch();
  const [one, two] = [join(root, "one"), join(root, "two")];
  mkdirSync(one);
  mkdirSync(two);
  symlinkSync(one, join(root, "link"));
  const [first, second] = [locateFolders(one), locateFolders(two)];
  expect(second.state).not.toBe(first.state);
  expect(second.runtime).not.toBe(first.runtime);
  expect(locateFolders(join(root, "link"))).toEqual(first);
});

test("C58 neither a relative variable nor an empty HOME makes the folder one is in the user's own", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("XDG_STATE_HOME", "state");
  vi.stubEnv("XDG_CONFIG_HOME", "config");
  for (const home of [process.env["HOME"], "", "here"]) {
    vi.stubEnv("HOME", home);
    expect(isAbsolute(stateRoot()), `state with HOME=${home}`).toBe(true);
    expect(isAbsolute(configRoot()), `settings with HOME=${home}`).toBe(true);
  }
});

const ME = 1000;

/** Folders of this machine that are not named belong to root, on one device. */
function listFrom(folder: string, facts: Record<string, Partial<FolderFacts>>): string[] {
  return listFoldersUpward(folder, {
    home: "/home/me",
    user: ME,
    stat: (path) => ({ owner: 0, device: 1, ...facts[path] }),
  });
}

test("C111 the search for a room above a folder ends at the home folder", () => {
  const mine = { owner: ME };
  const facts = { "/home/me": mine, "/home/me/work": mine, "/home/me/work/src": mine };
  expect(listFrom("/home/me/work/src", facts)).toEqual([
    "/home/me/work/src",
    "/home/me/work",
    "/home/me",
  ]);
  expect(listFrom("/home/me", { ...facts, "/home": mine })).toEqual(["/home/me"]);
});

test("C111 outside the home folder it ends where a folder is someone else's, or on another device", () => {
  const facts = { "/tmp/work": { owner: ME }, "/tmp/work/src": { owner: ME } };
  expect(listFrom("/tmp/work/src", facts)).toEqual(["/tmp/work/src", "/tmp/work"]);
  // A build made by a container belongs to root, the project around it to the user.
  expect(listFrom("/tmp/work/dist", facts)).toEqual(["/tmp/work/dist", "/tmp/work"]);
  // As root in a container: the whole project has its owner outside.
  const outside = { "/srv/work": { owner: 7 }, "/srv/work/src": { owner: 7 } };
  expect(listFrom("/srv/work/src", outside)).toEqual(["/srv/work/src", "/srv/work"]);
  const mounted = { "/tmp/work": { owner: ME }, "/tmp/work/disk": { owner: ME, device: 2 } };
  expect(listFrom("/tmp/work/disk", mounted)).toEqual(["/tmp/work/disk"]);
});

test("C111 a folder that cannot be examined ends it", () => {
  const limits = { home: "/home/me", user: ME, stat: () => undefined };
  expect(listFoldersUpward("/tmp/work/src", limits)).toEqual(["/tmp/work/src"]);
});
