// Owns finding the repository of a linked worktree, whose `.git` is a file that names a folder
// elsewhere. It is readable inside, so that git can show changes. A `.git` from a download or an
// agent could name any folder, so the repository must also name the worktree, in the place where
// git does so and where no agent can write.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findSystemCode } from "../../errors.ts";
import { isInside } from "../../workspace/is-inside.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";

/** Returns the folder of the repository (`…/.git`) as a real path. `roots` are the writable folders. */
export function findRepository(root: string, roots: readonly string[]): string | undefined {
  const file = join(root, ".git");
  const folder = /^gitdir: (.+)\n?$/.exec(readIfFile(file))?.[1];
  const own = folder === undefined ? undefined : findRealPath(resolve(root, folder));
  if (own === undefined || roots.some((writable) => isInside(own, writable))) return undefined;
  if (readIfFile(join(own, "gitdir")).trim() !== file) return undefined;
  const repository = dirname(dirname(own));
  const common = findRealPath(resolve(own, readIfFile(join(own, "commondir")).trim()));
  const isPlace = basename(dirname(own)) === "worktrees" && existsSync(join(repository, "HEAD"));
  return isPlace && common === repository ? repository : undefined;
}

/** Returns the real path; undefined if it was moved, which git itself reports. */
function findRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(findSystemCode(error) ?? ""))
      return undefined;
    throw error;
  }
}

function readIfFile(path: string): string {
  try {
    return readOptionalFile(path) ?? "";
  } catch (error) {
    if (["EISDIR", "ENOTDIR", "EACCES"].includes(findSystemCode(error) ?? "")) return "";
    throw error;
  }
}
