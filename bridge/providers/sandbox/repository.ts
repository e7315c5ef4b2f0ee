// Owns finding the repository of a linked worktree, whose `.git` is a file that names a folder
// elsewhere. Shown read-only, so that git can tell what changed. A `.git` that came with a folder
// could name anything, so the other side must name this one too, as git makes it.

import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemCode } from "../../errors.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";

/** The repository's own folder (`…/.git`), as a real path. */
export function repositoryOf(root: string): string | undefined {
  const file = join(root, ".git");
  const folder = /^gitdir: (.+)\n?$/.exec(read(file))?.[1];
  if (folder === undefined) return undefined;
  const own = resolve(root, folder);
  if (read(join(own, "gitdir")).trim() !== file) return undefined;
  const common = read(join(own, "commondir")).trim();
  if (common === "") return undefined;
  try {
    return realpathSync(resolve(own, common));
  } catch {
    // It has been moved: git says so itself.
    return undefined;
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
