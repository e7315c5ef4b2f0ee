// Checks whether this machine enforces the configured limits of agents' processes.

import { ISOLATIONS } from "../../../protocol/isolation.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorIsolation } from "../doctor-isolation.ts";

export async function checkLimits(doctorIsolation: DoctorIsolation | undefined): Promise<Finding> {
  const limits = Object.entries(doctorIsolation?.settings.limits ?? {});
  const set = limits.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (doctorIsolation === undefined || set.length === 0)
    return ok("none are set for agents' commands");
  const problems: string[] = [];
  for (const level of ISOLATIONS) {
    if (level !== "none" && !(await doctorIsolation.isolation.getAbility(level)).ok) continue;
    const sentences = await doctorIsolation.isolation.listUnenforced(level);
    if (sentences.length > 0) problems.push(`at level ${level} ${sentences.join("; ")}`);
  }
  if (problems.length === 0) return ok(`${set.join(", ")} are enforced`);
  return warn(
    problems.join(". "),
    "A systemd user session, or a cgroup that you may write, enforces them at every level; containers have their own.",
  );
}
