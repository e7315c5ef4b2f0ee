// Ends what a crashed bridge left, without starting a bridge: its pty host and terminals, the embedded
// relay, the tunnel and the sandboxes. The caller holds the folder's lock, so that no start interferes.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endRecordedRelay, hasRecordedRelay } from "../embedded-relay/embedded-relay.ts";
import { removeTemporary, toTemporaryFolder } from "../files/upload-folder.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import { sweepInstance } from "../sweep.ts";
import { HostClient } from "../terminals/host-client.ts";
import { forgetHost, sweepDeadHosts, endHost } from "../terminals/start-host.ts";
import { listCountedHostTerminals } from "../terminals/terminal.ts";
import { endRecordedTunnel } from "../tunnels/tunnel-process.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";

/**
 * Whether a pty host, relay or sandbox is left. A pty host or relay without terminals counts: it waits
 * for the next bridge for a while.
 */
export async function isAnythingLeft(
  folders: WorkspaceFolders,
  isolationService: Pick<IsolationService, "hasLeftovers">,
): Promise<boolean> {
  if (hasRecordedRelay(folders) || isolationService.hasLeftovers) return true;
  const host = await HostClient.connect(join(folders.runtime, "host.sock"), true).catch(
    // Not reachable: no host is left.
    () => undefined,
  );
  host?.close();
  return host !== undefined;
}

/** Ends everything left over; returns how many terminals ended. */
export async function endLeftovers(
  folders: WorkspaceFolders,
  isolationService: Pick<IsolationService, "end">,
): Promise<number> {
  const [terminals] = await Promise.all([
    endWaitingHost(folders),
    endRecordedTunnel(folders),
    endRecordedRelay(folders),
  ]);
  sweepDeadHosts(folders.state);
  removeTemporary(toTemporaryFolder(folders.folder));
  removeSockets(folders.runtime);
  await isolationService.end();
  return terminals;
}

async function endWaitingHost({ runtime, state }: WorkspaceFolders): Promise<number> {
  // Not reachable: nothing to end.
  const host = await HostClient.connect(join(runtime, "host.sock")).catch(() => undefined);
  if (host === undefined) return 0;
  const { instance } = host.welcome;
  const running = listCountedHostTerminals(host.found).length;
  await endHost(host);
  sweepInstance(instance);
  forgetHost(state, instance);
  host.close();
  return running;
}

/** Removes stale sockets, except `bridge.sock`, which is the caller's lock. */
function removeSockets(runtime: string): void {
  for (const name of readdirSync(runtime)) {
    if (name.endsWith(".sock") && name !== "bridge.sock") rmSync(join(runtime, name));
  }
}
