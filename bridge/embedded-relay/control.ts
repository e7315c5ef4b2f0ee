// Owns what the bridge and the embedded relay's process say to each other.

import { join } from "node:path";
import * as z from "zod/mini";

/** A tunnel that leads to this relay. Its key comes by the environment or by a message, never here. */
const TunnelHost = z.string().check(z.maxLength(300));

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
  /** As `Exposure.host`; undefined where only this machine comes. */
  tunnelHost: z.optional(TunnelHost),
});
export type RelayProcessOptions = z.infer<typeof RelayProcessOptions>;

/** The variable by which a relay that begins behind a tunnel gets its key. */
export const KEY_VARIABLE = "RELAY_KEY";

/** Who may ask this relay beside this machine. */
const Exposure = z.object({
  /** The tunnel's host, "" while nobody knows it. */
  host: TunnelHost,
  /** What a bridge must present for a claim. */
  key: z.string(),
  /** The tunnel's process: ended here when the bridge that started it is gone without a word. */
  process: z.optional(z.object({ pid: z.int(), started: z.nullable(z.string()) })),
});
export type Exposure = z.infer<typeof Exposure>;

/** What a bridge says to the relay's process, beside "stop". */
export const Expose = z.object({ expose: z.nullable(Exposure) });
export type Expose = z.infer<typeof Expose>;

/** The relay's first line to whoever connects, and again after workerd was started again. */
export const RelayStatus = z.object({
  event: z.literal("ready"),
  port: z.int(),
  pid: z.int(),
  workerd: z.int(),
  /** As `Exposure.host`; null, or absent in a relay of before, where only this machine comes. */
  tunnelHost: z.optional(z.nullable(TunnelHost)),
});
export type RelayStatus = z.infer<typeof RelayStatus>;

/** Where the bridge of this machine comes in; `temporary` is the relay's own folder. */
export function linkSocket(temporary: string): string {
  return join(temporary, "link.sock");
}
