// Owns the names of the walls that a terminal may stand behind.

import * as z from "zod/mini";

/** From no wall to the thickest. */
export const ISOLATIONS = ["none", "sandbox", "container"] as const;
export const Isolation = z.enum(ISOLATIONS);
export type Isolation = z.infer<typeof Isolation>;
