// Owns the messages between the bridge and the embedded relay's process.

import { join } from "node:path";
import * as z from "zod/mini";

/** The host name of a tunnel to this relay. */
const TunnelHost = z.string().check(z.maxLength(300));

/** The process's only argument, as JSON. */
export const RelayProcessOptions = z.object({
  /** Path of workerd. */
  binary: z.string(),
  socket: z.string(),
  record: z.string(),
  port: z.int(),
  files: z.object({
    /** The built Worker. */
    worker: z.string(),
    /** The built page. */
    web: z.string(),
    /** Folder where rooms store their claim and grants. */
    data: z.string(),
  }),
  /** A private folder for temporary files, recreated at every start. */
  temporary: z.string(),
  /** Path of the log file. */
  log: z.string(),
  /** How long the relay stays up without a bridge. */
  graceMs: z.int(),
  /** As `Exposure.host`; undefined without a tunnel. */
  tunnelHost: z.optional(TunnelHost),
});
export type RelayProcessOptions = z.infer<typeof RelayProcessOptions>;

/** The variable that passes the key to a relay that starts behind a tunnel. */
export const KEY_VARIABLE = "RELAY_KEY";

/** How clients beyond this machine reach the relay. */
const Exposure = z.object({
  /** The tunnel's host name, "" until it is known. */
  host: TunnelHost,
  /** The key that a bridge must present for a claim. */
  key: z.string(),
  /** The tunnel's process; the relay ends it when its bridge vanishes. */
  process: z.optional(z.object({ pid: z.int(), started: z.nullable(z.string()) })),
});
export type Exposure = z.infer<typeof Exposure>;

/** A bridge's request to the relay's process, beside "stop". */
export const ExposeRequest = z.object({ expose: z.nullable(Exposure) });
export type ExposeRequest = z.infer<typeof ExposeRequest>;

/** The relay's first line on each connection; sent again after workerd restarted. */
export const RelayStatus = z.object({
  event: z.literal("ready"),
  port: z.int(),
  pid: z.int(),
  workerd: z.int(),
  /** As `Exposure.host`; null without a tunnel, absent from older relays. */
  tunnelHost: z.optional(z.nullable(TunnelHost)),
});
export type RelayStatus = z.infer<typeof RelayStatus>;

/** Returns the socket that the local bridge dials; `temporary` is the relay's own folder. */
export function getLinkSocketPath(temporary: string): string {
  return join(temporary, "link.sock");
}
