// Owns what viewers have left after a disconnect: restores attachments from what the room still has
// and what the bridge had before, and cleans up after peers that did not come back. The answer to
// a viewer that then attaches again is in reattach-reconciler.ts.

import type { ChannelState, PeerJoined } from "../../protocol/link.ts";
import type { Caller } from "../callers/caller.ts";
import { canSee, hasPermission } from "../callers/permissions.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Attachments } from "./attachments.ts";
import type { DriverControl } from "./driver-control.ts";
import type { Peer, PeerRoom, PeerTable } from "./peer-table.ts";
import type { TerminalSource } from "./viewer-ports.ts";

/** A peer that a room announced, before or after a disconnect. */
export interface JoiningPeer {
  readonly number: number;
  readonly caller: Caller;
  readonly joined: PeerJoined;
  /** The room's channels, if it has just announced them. */
  readonly states?: ReadonlyMap<number, ChannelState>;
  /** Its attachments before the link was cut. */
  readonly before?: PreviousAttachments | undefined;
}

/** By terminal id: the rendition, and how many answers the viewer still owes. */
export type PreviousAttachments = ReadonlyMap<
  string,
  { readonly rendition: RenditionName; readonly owed: number }
>;

export interface ViewerRecoveryDeps {
  readonly source: Pick<TerminalSource, "get">;
  readonly peers: Pick<PeerTable, "all" | "removeAll">;
  readonly attachments: Pick<Attachments, "adopt" | "awaitReattach" | "closeIfAlone" | "refuse">;
  readonly driverControl: Pick<DriverControl, "removeMissingViewer">;
  readonly addViewer: (peer: Peer, terminal: PoolTerminal, mayType: boolean) => void;
}

export class ViewerRecovery {
  readonly #deps: ViewerRecoveryDeps;

  constructor(deps: ViewerRecoveryDeps) {
    this.#deps = deps;
  }

  /** Restores the peer's subscriptions in the room, and its attachments before a disconnect. */
  settle(peer: Peer, { joined, states, before }: JoiningPeer): void {
    const grant = peer.caller.grant();
    if (grant === undefined) return;
    const mayType = hasPermission(grant, "change");
    for (const subscription of joined.subscriptions) {
      const key = states?.get(subscription.channel)?.key;
      const subject = key === undefined ? undefined : peer.home.channels.findSubject(key);
      if (subject === undefined) continue;
      const { terminal, rendition } = subject;
      // The room may know less than the host decided meanwhile, or may lie.
      if (!canSee(grant, terminal.meta) || before?.has(terminal.id) === false) {
        this.#deps.attachments.refuse(peer, subscription);
        continue;
      }
      const owed = 1 + (before?.get(terminal.id)?.owed ?? 0);
      this.#deps.attachments.adopt(peer, subscription, terminal, rendition, owed);
      this.#deps.addViewer(peer, terminal, mayType);
    }
    for (const [id, { rendition, owed }] of before ?? []) {
      const terminal = peer.attached.has(id) ? undefined : this.#deps.source.get(id);
      if (terminal === undefined || !canSee(grant, terminal.meta)) continue;
      this.#deps.attachments.awaitReattach(peer, terminal, rendition, 1 + owed);
      this.#deps.addViewer(peer, terminal, mayType);
    }
  }

  /** Removes and returns the peers before a disconnect: the room may lack the last messages. */
  takePreviousPeers(home: PeerRoom): Map<number, PreviousAttachments> {
    const had = ({ attached }: Peer): PreviousAttachments =>
      new Map(
        [...attached].map(([id, { rendition, returnNotice }]) => [
          id,
          { rendition, owed: returnNotice?.owed ?? 0 },
        ]),
      );
    return new Map(
      this.#deps.peers.removeAll(home).map((peer) => [peer.number, had(peer)] as const),
    );
  }

  /** Cleans up once all peers have settled; `missing` did not come back. */
  reconcile(
    home: PeerRoom,
    missing: ReadonlyMap<number, PreviousAttachments>,
    states: ReadonlyMap<number, ChannelState>,
  ): void {
    for (const [number, before] of missing) {
      for (const id of before.keys()) {
        const terminal = this.#deps.source.get(id);
        if (terminal !== undefined) this.#deps.driverControl.removeMissingViewer(number, terminal);
      }
    }
    home.channels.reconcile(states, (number) => this.#isWatched(home, number));
    for (const open of home.channels.list())
      this.#deps.attachments.closeIfAlone(home, open.terminal);
  }

  /**
   * Whether a peer is attached by this channel, or waits to be attached again to what it carries. A
   * channel that this bridge did not open counts only by its number.
   */
  #isWatched(home: PeerRoom, number: number): boolean {
    const open = home.channels.byNumber(number);
    return this.#deps.peers.all().some((peer) => {
      if (peer.home !== home) return false;
      const own = open && peer.attached.get(open.terminal.id);
      if (own !== undefined && own.rendition === open?.rendition) return true;
      return [...peer.attached.values()].some(({ channel }) => channel === number);
    });
  }

  /** Records that all viewers in this room will answer the bridge's return with their position. */
  noteReturn(home: PeerRoom): void {
    const at = performance.now();
    for (const peer of this.#deps.peers.all()) {
      if (peer.home !== home) continue;
      for (const viewer of [...peer.attached.values(), ...peer.ended.values()]) {
        viewer.returnNotice = { at, owed: 1 + (viewer.returnNotice?.owed ?? 0) };
      }
    }
  }
}
