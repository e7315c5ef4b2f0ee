// Owns when two plans are the same: an answer for one plan is valid for no other.

import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { findSystemCode } from "../errors.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";

/** The files that a plan refers to, as they were when it was made. */
export interface PlanFiles {
  /** Real path of the program. */
  readonly program: string;
  /** The folder's device and inode, since another folder may take its name. */
  readonly folder: string;
}

export function getPlanFiles(plan: SpawnPlan): PlanFiles {
  try {
    return readSurroundings(plan);
  } catch (error) {
    // The file is gone since the plan was made: it matches no earlier plan.
    if (findSystemCode(error) !== undefined) return { program: "", folder: "" };
    throw error;
  }
}

function readSurroundings({ argv, cwd, isolation }: SpawnPlan): PlanFiles {
  const { dev, ino } = statSync(cwd, { bigint: true });
  // In a container the image decides which program has that name.
  const program = isolation === "container" ? argv[0] : realpathSync(argv[0]);
  return { program, folder: `${dev}:${ino}` };
}

/** Returns a SHA-256 in hex. `policy` is the version of the rules that judged the plan. */
export function computeDigest(
  grant: string,
  { argv, cwd, added, isolation, input }: SpawnPlan,
  { program, folder }: PlanFiles,
  policy: string,
): string {
  const variables = Object.entries(added).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const typed = input === undefined ? null : [input.text, input.staysOpen];
  const whole = [grant, argv, program, cwd, folder, variables, isolation, policy, typed];
  return createHash("sha256").update(JSON.stringify(whole)).digest("hex");
}
