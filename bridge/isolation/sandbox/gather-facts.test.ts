import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRepository } from "./gather-facts.ts";

test("I4 I74 the repository of a linked worktree is shown, and nothing that only claims to be it", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "pairpty-worktree-")));
  const [main, linked] = [join(top, "main"), join(top, "linked")];
  const own = join(main, ".git", "worktrees", "linked");
  mkdirSync(own, { recursive: true });
  mkdirSync(linked);
  const write = (path: string, text: string) => writeFileSync(path, text);
  expect(findRepository(linked, [linked])).toBeUndefined();
  write(join(linked, ".git"), `gitdir: ${own}\n`);
  // As from an archive: the repository does not name this worktree.
  expect(findRepository(linked, [linked])).toBeUndefined();
  write(join(own, "commondir"), "../..\n");
  write(join(own, "gitdir"), `${join(top, "another", ".git")}\n`);
  expect(findRepository(linked, [linked])).toBeUndefined();
  write(join(own, "gitdir"), `${join(linked, ".git")}\n`);
  // Without one of these it is not a repository.
  expect(findRepository(linked, [linked])).toBeUndefined();
  write(join(main, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(findRepository(linked, [linked])).toBe(join(main, ".git"));
  // An agent that can write both sides could have written both.
  expect(findRepository(linked, [linked, main])).toBeUndefined();
  write(join(own, "commondir"), `${top}\n`);
  expect(findRepository(linked, [linked])).toBeUndefined();
  expect(findRepository(main, [main])).toBeUndefined();
  rmSync(top, { recursive: true });
});
