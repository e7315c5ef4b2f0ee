// Owns which programs of this machine a test may use. What is missing skips it, with a line, unless
// PAIRPTY_REQUIRE names the program or "tools".

import { spawnSync } from "node:child_process";
import { isRequired } from "./required.ts";

export function has(program: string): boolean {
  if (spawnSync("which", [program]).status === 0) return true;
  if (isRequired(program) || isRequired("tools")) {
    throw new Error(`${program} is missing: node scripts/install-tools.mjs`);
  }
  console.warn(`skipped: ${program} is not on this machine`);
  return false;
}
