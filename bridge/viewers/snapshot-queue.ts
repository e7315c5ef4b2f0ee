// Owns the delivery of snapshots: viewers that request one while it is made share it, and a room
// gets it once for all of its peers.

import type { PoolTerminal } from "../terminals/terminal.ts";

export interface Snapshot {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
}

export interface SnapshotSource {
  snapshot(terminal: PoolTerminal): Promise<Snapshot>;
}

export class SnapshotQueue<Waiter> {
  readonly #source: SnapshotSource;
  readonly #queues = new Map<PoolTerminal, Waiter[]>();
  readonly #deliver: (terminal: PoolTerminal, snapshot: Snapshot, to: Waiter[]) => void;
  readonly #fail: (to: Waiter[], error: unknown) => void;

  constructor(
    source: SnapshotSource,
    deliver: (terminal: PoolTerminal, snapshot: Snapshot, to: Waiter[]) => void,
    fail: (to: Waiter[], error: unknown) => void,
  ) {
    this.#source = source;
    this.#deliver = deliver;
    this.#fail = fail;
  }

  request(terminal: PoolTerminal, waiter: Waiter): void {
    const queue = this.#queues.get(terminal);
    if (queue !== undefined) {
      queue.push(waiter);
      return;
    }
    const waiting = [waiter];
    this.#queues.set(terminal, waiting);
    void this.#serve(terminal, waiting);
  }

  async #serve(terminal: PoolTerminal, waiting: Waiter[]): Promise<void> {
    try {
      const snapshot = await this.#source.snapshot(terminal);
      this.#queues.delete(terminal);
      this.#deliver(terminal, snapshot, waiting);
    } catch (error) {
      this.#queues.delete(terminal);
      this.#fail(waiting, error);
    }
  }
}
