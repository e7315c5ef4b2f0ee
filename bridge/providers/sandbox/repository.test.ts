import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryOf } from "./repository.ts";

test("I4 the repository of a linked worktree is shown, and nothing that only claims to be it", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "pairpty-worktree-")));
  const [main, linked] = [join(top, "main"), join(top, "linked")];
  const own = join(main, ".git", "worktrees", "linked");
  mkdirSync(own, { recursive: true });
  mkdirSync(linked);
  const write = (path: string, text: string) => writeFileSync(path, text);
  expect(repositoryOf(linked)).toBeUndefined();
  write(join(linked, ".git"), `gitdir: ${own}\n`);
  // As an archive could bring it: the other side knows nothing of it.
  expect(repositoryOf(linked)).toBeUndefined();
  write(join(own, "commondir"), "../..\n");
  write(join(own, "gitdir"), `${join(top, "another", ".git")}\n`);
  expect(repositoryOf(linked)).toBeUndefined();
  write(join(own, "gitdir"), `${join(linked, ".git")}\n`);
  expect(repositoryOf(linked)).toBe(join(main, ".git"));
  expect(repositoryOf(main)).toBeUndefined();
  rmSync(top, { recursive: true });
});
