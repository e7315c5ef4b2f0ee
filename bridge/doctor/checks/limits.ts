// Checks whether this machine enforces the configured limits of agents' processes.

import { ISOLATIONS } from "../../../protocol/isolation.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorWalls } from "../walls.ts";

export async function checkLimits(found: DoctorWalls | undefined): Promise<Finding> {
  const limits = Object.entries(found?.settings.limits ?? {});
  const set = limits.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (found === undefined || set.length === 0) return ok("none are set for agents' commands");
  const told: string[] = [];
  for (const level of ISOLATIONS) {
    if (level !== "none" && !(await found.walls.ability(level)).ok) continue;
    const sentences = await found.walls.unenforced(level);
    if (sentences.length > 0) told.push(`at level ${level} ${sentences.join("; ")}`);
  }
  if (told.length === 0) return ok(`${set.join(", ")} are enforced`);
  return warn(
    told.join(". "),
    "A systemd user session, or a cgroup that you may write, enforces them at every level; containers have their own.",
  );
}
