// Owns who drives a terminal: whoever typed into it last. The driver loses nothing, because its
// rendering paces the program; one that stops rendering for a while paces nobody any more.

import type { ChannelTable } from "../../channels/table.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Peer } from "./peers.ts";

/** Below the 6 s after which the pty host ends a hold by itself, and then with a gap. */
const PATIENCE_MS = 5_000;

interface Driver {
  readonly peer: Peer;
  /** Runs while the driver paces; refreshed by every ack. */
  patience: NodeJS.Timeout | undefined;
}

export class Driving {
  readonly #channels: ChannelTable;
  readonly #drivers = new Map<string, Driver>();

  constructor(channels: ChannelTable) {
    this.#channels = channels;
  }

  typed(peer: Peer, terminal: PoolTerminal): void {
    const { id } = terminal;
    if (this.#drivers.get(id)?.peer !== peer) {
      this.#stop(id);
      this.#drivers.set(id, { peer, patience: undefined });
    }
    // What it types may start a flood, which would be far ahead before the next ack.
    const { acked } = peer.attached.get(id) ?? {};
    if (acked !== undefined) this.acked(peer, terminal, acked);
  }

  /** Only acks make a driver pace: a client that sends none cannot be waited for. */
  acked(peer: Peer, { id }: PoolTerminal, offset: number): void {
    const driver = this.#drivers.get(id);
    if (driver?.peer !== peer) return;
    driver.patience?.refresh();
    driver.patience ??= setTimeout(() => {
      driver.patience = undefined;
      this.#channels.find(id)?.channel.paceNoMore();
    }, PATIENCE_MS).unref();
    this.#channels.find(id)?.channel.pace(offset);
  }

  /** It attached anew, detached or left: what it had rendered says nothing any more. */
  left(peer: Peer, id: string): void {
    if (this.#drivers.get(id)?.peer === peer) this.#stop(id);
  }

  finished(id: string): void {
    clearTimeout(this.#drivers.get(id)?.patience);
    this.#drivers.delete(id);
  }

  #stop(id: string): void {
    this.finished(id);
    this.#channels.find(id)?.channel.pace(undefined);
  }
}
