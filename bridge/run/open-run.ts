// Opens a run: resolves how the relay is reached, finds or starts the processes, and builds the run
// on them. On failure, only terminals of a previous run stay behind. The running part is in
// bridge-run.ts.

import { getRelayFolder } from "../embedded-relay/embedded-relay.ts";
import type { EmbeddedRelay } from "../embedded-relay/embedded-relay.ts";
import { getLinkSocketPath } from "../embedded-relay/relay-messages.ts";
import { DIRECT, LinkSocket, resolveRoute } from "../link/dial-route.ts";
import { endRoom } from "../link/end-room.ts";
import { parseRelayAddress } from "../link/relay-address.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { endHost } from "../terminals/start-host.ts";
import { endRecordedTunnel } from "../tunnels/tunnel-process.ts";
import type { RelayRoute } from "./bridge-run.ts";
import { BridgeRun } from "./bridge-run.ts";
import { openHostAndRelay } from "./host-and-relay.ts";
import type { RunOptions } from "./run-options.ts";
import { toCredentials } from "./run-parts.ts";
import { RunTunnel } from "./run-tunnel.ts";

/** Resolves when terminals can be opened; does not wait for the relay, which is being dialled. */
export async function openBridgeRun(options: RunOptions): Promise<BridgeRun> {
  const { identity, log, insecure } = options;
  // Parsed first: a wrong address must leave nothing behind.
  const elsewhere =
    options.relay === undefined ? undefined : parseRelayAddress(options.relay, insecure);
  const route =
    elsewhere === undefined
      ? { ...DIRECT, socket: new LinkSocket(getLinkSocketPath(getRelayFolder(options.folders))) }
      : await resolveRoute(elsewhere, process.env, options.ca, options.log);
  // A bridge that was killed may have left a tunnel and its relay.
  await endRecordedTunnel(options.folders);
  const tunnel = options.tunnel && new RunTunnel({ ...options, plan: options.tunnel });
  const { host, relay } = await openHostAndRelay({ ...options, exposure: tunnel?.exposure });
  if (relay !== undefined) identity.port = relay.port;
  const address = elsewhere ?? parseRelayAddress(`http://127.0.0.1:${relay?.port}`, insecure);
  log.debug(`pty host ${host.welcome.pid}, instance ${host.welcome.instance}`);
  const run = await construct(options, { address, route, tunnel }, relay, host);
  const { previous } = identity;
  if (previous !== undefined) {
    const credentials = toCredentials(previous, options.relayKey);
    void run.firstLinkOutcome.then((problem) =>
      problem === undefined ? endRoom({ address, route, credentials, log }) : undefined,
    );
  }
  return run;
}

/** Constructs the run. On failure, only terminals of a previous run stay behind. */
async function construct(
  options: RunOptions,
  relayRoute: RelayRoute,
  relay: EmbeddedRelay | undefined,
  host: HostClient,
): Promise<BridgeRun> {
  try {
    if (relay !== undefined) await relayRoute.tunnel?.open(relay);
    return new BridgeRun(options, relayRoute, relay, host);
  } catch (error) {
    await relayRoute.tunnel?.stop();
    if (host.found.length === 0) await Promise.all([endHost(host), relay?.stop()]);
    else relay?.release();
    host.close();
    throw error;
  }
}
