import { expect, test } from "vitest";
import type { FolderFacts } from "./upward.ts";
import { listFoldersUpward } from "./upward.ts";

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
