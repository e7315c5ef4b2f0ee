// Checks the Node version.

import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

const LEAST = [20, 19] as const;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (enough) return ok(version);
  return fail(`${version} is too old`, `Install Node ${LEAST.join(".")} or newer.`);
}
