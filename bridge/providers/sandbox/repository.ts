// Owns finding the repository of a linked worktree, whose `.git` is a file that names a folder
// elsewhere. Shown read-only, so that git can tell what changed. A `.git` that came with a folder, or
// that an agent wrote, could name anything. So the other side must name this one too, as git makes it:
// at its own place in a repository, and where no agent writes.

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../../errors.ts";
import { isInside } from "../../workspace/inside.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";

/** The repository's own folder (`…/.git`), as a real path. `roots` are the writable folders. */
export function repositoryOf(root: string, roots: readonly string[]): string | undefined {
  const file = join(root, ".git");
  const folder = /^gitdir: (.+)\n?$/.exec(read(file))?.[1];
  const own = folder === undefined ? undefined : real(resolve(root, folder));
  if (own === undefined || roots.some((writable) => isInside(own, writable))) return undefined;
  if (read(join(own, "gitdir")).trim() !== file) return undefined;
  const repository = dirname(dirname(own));
  const common = real(resolve(own, read(join(own, "commondir")).trim()));
  const isPlace = basename(dirname(own)) === "worktrees" && existsSync(join(repository, "HEAD"));
  return isPlace && common === repository ? repository : undefined;
}

/** Undefined where it has been moved: git says so itself. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(systemCode(error) ?? ""))
      return undefined;
    throw error;
  }
}

function read(path: string): string {
  try {
    return readOptionalFile(path) ?? "";
  } catch (error) {
    if (["EISDIR", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return "";
    throw error;
  }
}
