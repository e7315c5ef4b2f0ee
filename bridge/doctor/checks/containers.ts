// Checks containers for agents' commands: the program, and a start of the configured image or rootfs.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorIsolation } from "../doctor-isolation.ts";

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
