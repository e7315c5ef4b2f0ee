// Owns what a run stands on: the pty host and, unless the relay is elsewhere, the embedded one.
// Found if they live, else started; neither is left behind when the other cannot be had.

import type { EmbeddedRelay } from "../embedded-relay/start-relay.ts";
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
  const { folders, identity, port, log, graceMs } = wish;
  const asked = { port: port ?? identity.port, fixed: port !== undefined, graceMs };
  return await openRelay(folders, asked, log);
}
