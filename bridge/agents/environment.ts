// Owns what of the user's environment agents' children get: everything but secrets and the keys to
// other machines. Pure. A guard rail, not a wall: at level `none` the process is the user's.

import { isSecret } from "../secrets/names.ts";
import type { SpawnPlan } from "../terminals/plan.ts";

/** Values that are a secret whatever they are called: a password in an address, a signed token. */
const SECRET_VALUES = /:\/\/[^/\s:@]*:[^@\s/]+@|\beyJ[\w-]{10,}\.[\w-]{10,}\./;

/** `allowed` are names that the user lets through in spite of this. */
export function withoutSecrets(
  environment: NodeJS.ProcessEnv,
  allowed: ReadonlySet<string> = new Set(),
): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).filter(
    ([name, value]) => allowed.has(name) || !(isSecret(name) || SECRET_VALUES.test(value ?? "")),
  );
  return Object.fromEntries(entries);
}

/** A pager runs commands that are typed into it; `cat` prints everything and ends. */
const PLAIN_PAGERS = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GH_PAGER: "cat",
};

/** Gives a start that only the policy judged, and no person approved, pagers that run nothing. */
export function withPlainPagers(plan: SpawnPlan): SpawnPlan {
  if (plan.basis !== "safe" || plan.isolation !== "none") return plan;
  return { ...plan, env: { ...plan.env, ...PLAIN_PAGERS } };
}
