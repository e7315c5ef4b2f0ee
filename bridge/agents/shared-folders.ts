// Owns where agents may start things: inside the folders that the user shares, after resolving
// symlinks.

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "../workspace/is-inside.ts";

export type FolderResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly error: string };

/** Resolves a folder; a relative one starts at the first root. `roots` are real paths. */
export function resolveInRoots(cwd: string, roots: readonly string[]): FolderResult {
  const asked = resolve(roots[0] ?? "/", cwd);
  let real: string;
  try {
    real = realpathSync(asked);
    if (!statSync(real).isDirectory()) return { ok: false, error: `Not a folder: ${asked}` };
  } catch {
    return { ok: false, error: `Folder not found: ${asked}` };
  }
  if (roots.some((root) => isInside(real, root))) return { ok: true, path: real };
  return {
    ok: false,
    error: `Folder is outside the shared folders: ${asked}. Shared: ${roots.join(", ")}`,
  };
}
