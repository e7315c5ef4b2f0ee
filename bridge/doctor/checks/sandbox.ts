// Checks the sandbox for agents' commands by creating one.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorIsolation } from "../doctor-isolation.ts";

export async function checkSandbox(doctorIsolation: DoctorIsolation | undefined): Promise<Finding> {
  if (doctorIsolation === undefined) return warn("not tried without a folder", "See folders.");
  const ability = await doctorIsolation.isolation.getAbility("sandbox");
  if (ability.ok) return ok(`${ability.value}can create sandboxes`);
  return warn(`no sandbox for agents' commands: ${ability.why}`, `${ability.cure}.`);
}
