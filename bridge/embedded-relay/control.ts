// Owns what the bridge and the embedded relay's process say to each other.

import { join } from "node:path";
import * as z from "zod/mini";

/** The process's one argument, as JSON. */
export const RelayProcessOptions = z.object({
  /** workerd's program. */
  binary: z.string(),
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
  /** The file for what it has to say. */
  log: z.string(),
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

/** Where the bridge of this machine comes in; `temporary` is the relay's own folder. */
export function linkSocket(temporary: string): string {
  return join(temporary, "link.sock");
}
