// Owns what a run stands on: the pty host and, unless the relay is elsewhere, the embedded one.
// Found if they live, else started; neither is left behind when the other cannot be had.

import type { Exposure } from "../embedded-relay/control.ts";
import type { EmbeddedRelay, RelayWish } from "../embedded-relay/start-relay.ts";
import { openRelay } from "../embedded-relay/start-relay.ts";
import type { Log } from "../log.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { Identity } from "../workspace/identity.ts";

export interface PartsWish {
  readonly folders: WorkspaceFolders;
  readonly identity: Identity;
  /** Undefined for the embedded relay. */
  readonly relay: string | undefined;
  readonly port: number | undefined;
  /** How long both wait for a bridge to come back. */
  readonly graceMs: number;
  readonly log: Log;
  /** A tunnel leads to the embedded relay, or soon will. */
  readonly exposure?: Exposure | undefined;
}

export async function openParts(
  wish: PartsWish,
): Promise<{ host: HostClient; relay: EmbeddedRelay | undefined }> {
  const opening = openHost(wish.folders, wish.graceMs);
  try {
    const [host, relay] = await Promise.all([opening, openEmbedded(wish)]);
    return { host, relay };
  } catch (error) {
    const host = await opening.catch(() => undefined);
    // One that has terminals of before keeps them.
    if (host?.found.length === 0) await endHost(host);
    host?.close();
    throw error;
  }
}

async function openEmbedded(wish: PartsWish): Promise<EmbeddedRelay | undefined> {
  if (wish.relay !== undefined) return undefined;
  const { folders, identity, port, log, graceMs, exposure } = wish;
  return await openRelay(folders, { ...portWish(port, identity.port), graceMs, exposure }, log);
}

/** 0 is any that is free, whatever the folder had. */
function portWish(
  asked: number | undefined,
  kept: number | null,
): Omit<RelayWish, "graceMs" | "exposure"> {
  if (asked === undefined) return { port: kept, fixed: false };
  return asked === 0 ? { port: null, fixed: false } : { port: asked, fixed: true };
}
