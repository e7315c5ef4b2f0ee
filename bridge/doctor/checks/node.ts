// Checks the Node version.

import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

const MIN_NODE_VERSION = [20, 19] as const;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough =
    major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]);
  if (enough) return ok(version);
  return fail(`${version} is too old`, `Install Node ${MIN_NODE_VERSION.join(".")} or newer.`);
}
