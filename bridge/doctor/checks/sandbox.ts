// Checks the sandbox for agents' commands by creating one.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorWalls } from "../walls.ts";

export async function checkSandbox(found: DoctorWalls | undefined): Promise<Finding> {
  if (found === undefined) return warn("not tried without a folder", "See folders.");
  const ability = await found.walls.ability("sandbox");
  if (ability.ok) return ok(`${ability.value}can create sandboxes`);
  return warn(`no sandbox for agents' commands: ${ability.why}`, `${ability.cure}.`);
}
