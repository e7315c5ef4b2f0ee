// Owns which of the user's environment variables agents' processes get: all but secrets and
// credentials for other machines. Pure. A guard rail, not a security boundary: at isolation `none`
// the process has the user's rights.

import { isSecret } from "../secrets/secret-names.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";

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
