// Owns the names of the isolation levels and their order.

import * as z from "zod/mini";

/** From none to the strictest. */
export const ISOLATIONS = ["none", "sandbox", "container"] as const;
export const Isolation = z.enum(ISOLATIONS);
export type Isolation = z.infer<typeof Isolation>;

/** Returns the strictest of the given levels; "none" without any. */
export function strictest(...levels: readonly (Isolation | undefined)[]): Isolation {
  return ISOLATIONS.findLast((level) => levels.includes(level)) ?? "none";
}

export function isAtLeast(level: Isolation | undefined, floor: Isolation | undefined): boolean {
  return strictest(level) === strictest(level, floor);
}
