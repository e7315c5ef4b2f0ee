// Checks the sandbox, the containers and the limits for agents' commands, with the isolation that a
// bridge of this folder would use.

import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { resolveSettings } from "../../config/resolve-settings.ts";
import { toIsolationSettings } from "../../config/agent-options.ts";
import { IsolationService } from "../../isolation/isolation-service.ts";
import type { IsolationSettings } from "../../isolation/isolation-settings.ts";
import { toSandboxFolders } from "../../isolation/sandbox-locations.ts";
import { runProgram } from "../../processes/run-program.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";

export async function checkSandbox(doctorIsolation: DoctorIsolation | undefined): Promise<Finding> {
  if (doctorIsolation === undefined) return warn("not tried without a folder", "See folders.");
  const ability = await doctorIsolation.isolation.getAbility("sandbox");
  if (ability.ok) return ok(`${ability.value}can create sandboxes`);
  return warn(`no sandbox for agents' commands: ${ability.why}`, `${ability.cure}.`);
}

export async function checkContainers(
  doctorIsolation: DoctorIsolation | undefined,
): Promise<Finding> {
  if (doctorIsolation === undefined) return warn("not tried without a folder", "See folders.");
  const { image, rootfs } = doctorIsolation.settings.container;
  if (image === undefined && rootfs === undefined) {
    const program = await doctorIsolation.isolation.containerProgram();
    if (!program.ok)
      return warn(`no containers for agents' commands: ${program.why}`, `${program.cure}.`);
    if (doctorIsolation.settings.floor === "container") {
      return warn(
        `agents' commands are refused: agents.isolation is container, and there is no image`,
        "Set container.image to an image on this machine, or container.rootfs to a folder.",
      );
    }
    return ok(`${program.value}; level container also needs container.image`);
  }
  const ability = await doctorIsolation.isolation.getAbility("container");
  if (ability.ok) return ok(`${ability.value} starts ${image ?? rootfs}`);
  return warn(`no containers for agents' commands: ${ability.why}`, `${ability.cure}.`);
}

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

/** Per program; a check has 8 s for all of them. */
const ANSWER_MS = 3_000;

interface DoctorIsolation {
  readonly isolation: IsolationService;
  readonly settings: IsolationSettings;
}

/** Returns the isolation; undefined without a workspace folder. */
export function createDoctorIsolation({
  folders,
  configuration,
  environment,
}: DoctorFacts): DoctorIsolation | undefined {
  if (typeof folders === "string") return undefined;
  const { merged } = configuration;
  const resolved = resolveSettings(configuration, environment, folders.folder);
  const settings = toIsolationSettings(merged.values, resolved);
  const place = {
    ...toSandboxFolders(folders),
    roots: [folders.folder, ...resolved.roots],
    ownFolders: [],
    shell: resolved.shell,
    envAllowlist: new Set<string>(),
  };
  const run: typeof runProgram = (command, args, milliseconds, surroundings) =>
    runProgram(command, args, Math.min(milliseconds, ANSWER_MS), surroundings);
  return { isolation: new IsolationService(place, settings, { run, environment }), settings };
}
