// Owns what the bridge and the embedded relay's process say to each other, and what is recorded.

import * as z from "zod/mini";

/** The process's one argument, as JSON. */
export const RelayProcessOptions = z.object({
  socket: z.string(),
  record: z.string(),
  port: z.int(),
  files: z.object({
    /** The built Worker. */
    worker: z.string(),
    /** The built page. */
    web: z.string(),
    /** Where rooms keep their claim and grants. */
    data: z.string(),
  }),
  /** A folder of its own for temporary files, made anew at every start. */
  temporary: z.string(),
  /** How long it stays without a bridge. */
  graceMs: z.int(),
});
export type RelayProcessOptions = z.infer<typeof RelayProcessOptions>;

/** The relay's first line to whoever connects, and again after workerd was started again. */
export const RelayStatus = z.object({
  event: z.literal("ready"),
  port: z.int(),
  pid: z.int(),
  workerd: z.int(),
});
export type RelayStatus = z.infer<typeof RelayStatus>;

/** On disk, so that a relay that no longer answers can be ended by what it was. */
export const RelayRecord = z.object({
  port: z.int(),
  processes: z.array(z.object({ pid: z.int(), started: z.nullable(z.string()) })),
});
export type RelayRecord = z.infer<typeof RelayRecord>;
