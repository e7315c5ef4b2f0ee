// Checks containers for agents' commands: the program, and a start of the configured image or rootfs.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { DoctorWalls } from "../walls.ts";

export async function checkContainers(found: DoctorWalls | undefined): Promise<Finding> {
  if (found === undefined) return warn("not tried without a folder", "See folders.");
  const { image, rootfs } = found.settings.container;
  if (image === undefined && rootfs === undefined) {
    const program = await found.walls.containerProgram();
    if (!program.ok)
      return warn(`no containers for agents' commands: ${program.why}`, `${program.cure}.`);
    if (found.settings.floor === "container") {
      return warn(
        `agents' commands are refused: agents.isolation is container, and there is no image`,
        "Set container.image to an image on this machine, or container.rootfs to a folder.",
      );
    }
    return ok(`${program.value}; level container also needs container.image`);
  }
  const ability = await found.walls.ability("container");
  if (ability.ok) return ok(`${ability.value} starts ${image ?? rootfs}`);
  return warn(`no containers for agents' commands: ${ability.why}`, `${ability.cure}.`);
}
