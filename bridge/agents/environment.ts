// Owns which of the user's environment variables agents' processes get: all but secrets and
// credentials for other machines. Pure. A guard rail, not a security boundary: at isolation `none`
// the process has the user's rights. Also owns where agents may start things: inside the folders
// that the user shares, after resolving symlinks.

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isSecret } from "../secrets/secret-names.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import { isInside } from "../workspace/folders.ts";

/** Values that are secret under any name: a password in a URL, a signed token. */
const SECRET_VALUES = /:\/\/[^/\s:@]*:[^@\s/]+@|\beyJ[\w-]{10,}\.[\w-]{10,}\./;

/** Returns the environment without secrets, except the variables named in `allowed`. */
export function withoutSecrets(
  environment: NodeJS.ProcessEnv,
  allowed: ReadonlySet<string> = new Set(),
): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).filter(
    ([name, value]) => allowed.has(name) || !(isSecret(name) || SECRET_VALUES.test(value ?? "")),
  );
  return Object.fromEntries(entries);
}

/** A pager runs commands typed into it; `cat` prints everything and exits. */
const PLAIN_PAGERS = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GH_PAGER: "cat",
};

/** Replaces the pagers of a start that the policy called safe and no person approved. */
export function withPlainPagers(plan: SpawnPlan): SpawnPlan {
  if (plan.basis !== "safe" || plan.isolation !== "none") return plan;
  return { ...plan, env: { ...plan.env, ...PLAIN_PAGERS } };
}

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
