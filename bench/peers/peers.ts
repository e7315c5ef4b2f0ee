// Owns the list of peers, and which of them are here.

import type { Chain } from "../chain.ts";
import type { Peer } from "./peer.ts";
import { peerChain } from "./peer.ts";
import { ttyShare } from "./tty-share.ts";
import { ttyd } from "./ttyd.ts";
import { vibetunnel } from "./vibetunnel.ts";
import { wetty } from "./wetty.ts";

const PEERS: readonly Peer[] = [ttyd, wetty, ttyShare, vibetunnel];

export interface PeersHere {
  readonly chains: readonly Chain[];
  /** A line for each that is not. */
  readonly skipped: readonly string[];
}

export function findPeers(folder: string | undefined, work: string): PeersHere {
  const all = PEERS.map((peer) => ({ peer, found: peer.find(folder) }));
  return {
    chains: all.flatMap(({ peer, found }) => (found.ok ? [peerChain(peer, found.file, work)] : [])),
    skipped: all.flatMap(({ peer, found }) =>
      found.ok ? [] : [`${peer.name} is skipped: ${found.why}.`],
    ),
  };
}
