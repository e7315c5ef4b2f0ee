// Finds or starts the pty host and, unless the relay is elsewhere, the embedded relay. If one fails,
// the other does not stay behind.

import type { Exposure } from "../embedded-relay/relay-messages.ts";
import type { EmbeddedRelay, EmbeddedRelayOptions } from "../embedded-relay/embedded-relay.ts";
import { openEmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import type { Log } from "../log.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { Identity } from "../workspace/identity.ts";

export interface HostAndRelayOptions {
  readonly folders: WorkspaceFolders;
  readonly identity: Identity;
  /** The URL of a relay elsewhere; undefined for the embedded relay. */
  readonly relay: string | undefined;
  readonly port: number | undefined;
  /** How long both wait for a bridge to come back. */
  readonly graceMs: number;
  readonly log: Log;
  /** Given when a tunnel leads to the embedded relay, or soon will. */
  readonly exposure?: Exposure | undefined;
}

export async function openHostAndRelay(
  options: HostAndRelayOptions,
): Promise<{ host: HostClient; relay: EmbeddedRelay | undefined }> {
  const opening = openHost(options.folders, options.graceMs);
  try {
    const [host, relay] = await Promise.all([opening, openRelayUnlessRemote(options)]);
    return { host, relay };
  } catch (error) {
    const host = await opening.catch(() => undefined);
    // A host with terminals of the previous run keeps them.
    if (host?.found.length === 0) await endHost(host);
    host?.close();
    throw error;
  }
}

async function openRelayUnlessRemote(
  options: HostAndRelayOptions,
): Promise<EmbeddedRelay | undefined> {
  if (options.relay !== undefined) return undefined;
  const { folders, identity, port, log, graceMs, exposure } = options;
  return await openEmbeddedRelay(
    folders,
    { ...toPortOptions(port, identity.port), graceMs, exposure },
    log,
  );
}

/** Returns which port the relay tries. Port 0 means any free one, ignoring the folder's last port. */
function toPortOptions(
  requested: number | undefined,
  lastPort: number | null,
): Omit<EmbeddedRelayOptions, "graceMs" | "exposure"> {
  if (requested === undefined) return { port: lastPort, fixed: false };
  return requested === 0 ? { port: null, fixed: false } : { port: requested, fixed: true };
}
