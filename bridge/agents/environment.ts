// Owns what of the user's environment agents' children get: everything but secrets and the keys to
// other machines. Pure. A guard rail, not a wall: at level `none` the process is the user's.

import { isSecret } from "../secrets/names.ts";

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
