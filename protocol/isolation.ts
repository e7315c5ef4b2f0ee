// Owns the names of the walls that a terminal may stand behind, and which is thicker.

import * as z from "zod/mini";

/** From no wall to the thickest. */
export const ISOLATIONS = ["none", "sandbox", "container"] as const;
export const Isolation = z.enum(ISOLATIONS);
export type Isolation = z.infer<typeof Isolation>;

/** Of those that are named; "none" when none is. */
export function thickest(...levels: readonly (Isolation | undefined)[]): Isolation {
  return ISOLATIONS.findLast((level) => levels.includes(level)) ?? "none";
}

export function isAtLeast(level: Isolation | undefined, floor: Isolation | undefined): boolean {
  return thickest(level) === thickest(level, floor);
}
