// Owns what makes two plans the same: an answer that was given for one is good for no other.

import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { systemCode } from "../errors.ts";
import type { SpawnPlan } from "../terminals/plan.ts";

/** What a plan meets on the disk when it is made. */
export interface Surroundings {
  /** The program behind every link. */
  readonly program: string;
  /** The folder's own device and inode: another one may take its name. */
  readonly folder: string;
}

export function surroundingsOf(plan: SpawnPlan): Surroundings {
  try {
    return surroundings(plan);
  } catch (error) {
    // Gone since the plan was made: like nothing that was ever asked about.
    if (systemCode(error) !== undefined) return { program: "", folder: "" };
    throw error;
  }
}

function surroundings({ argv, cwd, isolation }: SpawnPlan): Surroundings {
  const { dev, ino } = statSync(cwd, { bigint: true });
  // Which program a container has by that name is the image's matter.
  const program = isolation === "container" ? argv[0] : realpathSync(argv[0]);
  return { program, folder: `${dev}:${ino}` };
}

/** SHA-256 in hex. `policy` is the version of the rules that the plan was judged by. */
export function digestOf(
  grant: string,
  { argv, cwd, added, isolation, input }: SpawnPlan,
  { program, folder }: Surroundings,
  policy: string,
): string {
  const variables = Object.entries(added).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const typed = input === undefined ? null : [input.text, input.staysOpen];
  const whole = [grant, argv, program, cwd, folder, variables, isolation, policy, typed];
  return createHash("sha256").update(JSON.stringify(whole)).digest("hex");
}
