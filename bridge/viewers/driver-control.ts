// Owns the driver of each terminal and the effects: its size, pacing of the program by the driver's
// rendering, and notices to viewers. size-arbiter.ts makes the decisions.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Watch } from "../../protocol/link.ts";
import { limitCells } from "../../protocol/terminal.ts";
import type { Channel } from "../channels/channel.ts";
import { isText } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Size, SizeState } from "./size-arbiter.ts";
import {
  setDriver,
  createSizeState,
  setMayDrive,
  removeViewer,
  pinSize,
  requestSize,
  addViewer,
  recordTyping,
  setView,
} from "./size-arbiter.ts";
import type { TerminalSource } from "./viewer-ports.ts";
import type { Peer, PeerTable } from "./peer-table.ts";

/** Below the 6 s after which the pty host ends a pause on its own, with a gap. */
const PACE_TIMEOUT_MS = 5_000;

interface Entry {
  state: SizeState;
  /** Runs while the driver paces the program; every ack restarts it. */
  paceTimeout: NodeJS.Timeout | undefined;
}

export interface DriverEvents {
  /** Fires when the terminal's size changed. */
  onResized(terminal: PoolTerminal): void;
  /** Fires when the driver, the number of viewers or the basis of the size changed. */
  onChanged(terminal: PoolTerminal, driver: Peer | undefined, viewers: number): void;
}

export class DriverControl {
  readonly #pool: Pick<TerminalSource, "resize">;
  readonly #peers: PeerTable;
  readonly #events: DriverEvents;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(
    pool: Pick<TerminalSource, "resize">,
    peers: PeerTable,
    events: DriverEvents,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#pool = pool;
    this.#peers = peers;
    this.#events = events;
  }

  getDriver(terminal: PoolTerminal): Peer | undefined {
    const number = this.#entries.get(terminal.id)?.state.driver;
    return number === undefined ? undefined : this.#peers.get(number);
  }

  /** Emits the driver again. */
  emitDriver(terminal: PoolTerminal): void {
    const viewers = this.#entries.get(terminal.id)?.state.viewers.size ?? 0;
    this.#events.onChanged(terminal, this.getDriver(terminal), viewers);
  }

  addViewer(peer: Peer, terminal: PoolTerminal, mayDrive: boolean): void {
    const entry = this.#entries.get(terminal.id) ?? this.#open(terminal);
    // A repeated attach keeps its entry: it is the same viewer.
    if (entry.state.viewers.has(peer.number)) return;
    this.#set(terminal, entry, addViewer(entry.state, peer.number, mayDrive));
  }

  removeViewer(peer: Peer, terminal: PoolTerminal): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined || !entry.state.viewers.has(peer.number)) return;
    if (entry.state.driver === peer.number) this.#stopPacing(terminal, entry, peer);
    this.#set(terminal, entry, removeViewer(entry.state, peer.number));
    if (entry.state.viewers.size === 0) this.#entries.delete(terminal.id);
  }

  /** Updates the right to drive after the viewer was added. */
  setMayDrive(peer: Peer, terminal: PoolTerminal, mayDrive: boolean): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined) return;
    if (!mayDrive && entry.state.driver === peer.number) this.#stopPacing(terminal, entry, peer);
    this.#set(terminal, entry, setMayDrive(entry.state, peer.number, mayDrive));
  }

  /** Removes a viewer that did not return after a disconnect. */
  removeMissingViewer(number: number, terminal: PoolTerminal): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined) return;
    if (entry.state.driver === number) clearPaceTimeout(entry);
    this.#set(terminal, entry, removeViewer(entry.state, number));
    if (entry.state.viewers.size === 0) this.#entries.delete(terminal.id);
  }

  setView(peer: Peer, terminal: PoolTerminal, size: Size, visible: boolean): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined) return;
    // A hidden viewer must not pace the program.
    if (!visible && entry.state.driver === peer.number) this.#stopPacing(terminal, entry, peer);
    this.#set(terminal, entry, setView(entry.state, peer.number, limitCells(size), visible));
  }

  requestSize(peer: Peer, terminal: PoolTerminal, size: Size): void {
    const entry = this.#entries.get(terminal.id) ?? this.#open(terminal);
    this.#set(terminal, entry, requestSize(entry.state, peer.number, limitCells(size)));
    if (entry.state.viewers.size === 0) this.#entries.delete(terminal.id);
  }

  /** Makes a viewer the driver by takeover or handover. */
  setDriver(peer: Peer, terminal: PoolTerminal): void {
    this.#claim(peer, terminal, (state) => setDriver(state, peer.number));
    this.startPacing(peer, terminal);
  }

  /** Makes a viewer the driver before its input is written, so that the size fits already. */
  claimByTyping(peer: Peer, terminal: PoolTerminal): void {
    this.#claim(peer, terminal, (state) => recordTyping(state, peer.number, this.#now()));
  }

  /** Pins the size; `undefined` unpins. */
  pinSize(terminal: PoolTerminal, size: Size | undefined): void {
    const entry = this.#entries.get(terminal.id) ?? this.#open(terminal);
    this.#set(terminal, entry, pinSize(entry.state, size && limitCells(size)));
    if (entry.state.viewers.size === 0) this.#entries.delete(terminal.id);
  }

  /** Returns the numbers of the peers that the size is based on. */
  getSizers(terminal: PoolTerminal): readonly number[] {
    return this.#entries.get(terminal.id)?.state.sizingViewers ?? [];
  }

  #claim(peer: Peer, terminal: PoolTerminal, by: (state: SizeState) => SizeState): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined) return;
    const before = this.getDriver(terminal);
    const next = by(entry.state);
    if (before !== peer && next.driver === peer.number) {
      if (before !== undefined) this.#stopPacing(terminal, entry, before);
      this.#watch(peer, terminal, true);
    }
    this.#set(terminal, entry, next);
  }

  /** Starts pacing right after input: output may be far ahead before the next ack. */
  startPacing(peer: Peer, terminal: PoolTerminal): void {
    const { acked, isJoined } = peer.attached.get(terminal.id) ?? {};
    if (acked !== undefined && isJoined === true) this.onAck(peer, terminal, acked);
  }

  /** Paces the program by an ack. Without acks there is no pacing: the client cannot be awaited. */
  onAck(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const entry = this.#entries.get(terminal.id);
    if (entry === undefined || entry.state.driver !== peer.number) return;
    if (entry.state.viewers.get(peer.number)?.visible !== true) return;
    entry.paceTimeout?.refresh();
    entry.paceTimeout ??= setTimeout(() => {
      entry.paceTimeout = undefined;
      this.#findChannel(peer, terminal)?.stopPacing();
    }, PACE_TIMEOUT_MS).unref();
    this.#findChannel(peer, terminal)?.pace(offset);
  }

  /** Requests a driver's acks again after its replay has reached the live stream. */
  onJoined(peer: Peer, terminal: PoolTerminal): void {
    if (this.#entries.get(terminal.id)?.state.driver === peer.number) {
      this.#watch(peer, terminal, true);
    }
  }

  /** Stops pacing for a viewer that lost its position, until it has a new one. */
  onPositionLost(peer: Peer, terminal: PoolTerminal): void {
    const entry = this.#entries.get(terminal.id);
    if (entry?.state.driver === peer.number) this.#stopPacing(terminal, entry, peer);
  }

  #open({ id, cols, rows, meta }: PoolTerminal): Entry {
    const entry = { state: createSizeState({ cols, rows }, meta.pinned), paceTimeout: undefined };
    this.#entries.set(id, entry);
    return entry;
  }

  #set(terminal: PoolTerminal, entry: Entry, state: SizeState): void {
    const before = entry.state;
    if (state === before) return;
    entry.state = state;
    const { cols, rows } = state.size;
    if (terminal.cols !== cols || terminal.rows !== rows) {
      this.#pool.resize(terminal, cols, rows);
      this.#events.onResized(terminal);
    }
    const isSized = before.sizingViewers === state.sizingViewers && before.pinned === state.pinned;
    const isDriven = before.driver === state.driver && before.viewers.size === state.viewers.size;
    if (isDriven && isSized) return;
    this.#events.onChanged(terminal, this.getDriver(terminal), state.viewers.size);
  }

  #stopPacing(terminal: PoolTerminal, entry: Entry, driver: Peer): void {
    clearPaceTimeout(entry);
    this.#findChannel(driver, terminal)?.pace(undefined);
    this.#watch(driver, terminal, false);
  }

  #watch(peer: Peer, terminal: PoolTerminal, on: boolean): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment === undefined || isText(attachment.rendition) || !attachment.isJoined) return;
    if (attachment.channel === undefined) return;
    const watch: Watch = { peer: peer.number, on };
    peer.home.link.send(FrameType.watch, attachment.channel, toPayload(watch));
  }

  #findChannel({ home, attached, rendition }: Peer, terminal: PoolTerminal): Channel | undefined {
    const own = attached.get(terminal.id)?.rendition ?? rendition;
    return home.channels.find(terminal, own)?.channel;
  }
}

/** Clears the timer and removes it, since a cleared timer cannot be refreshed. */
function clearPaceTimeout(entry: Entry): void {
  clearTimeout(entry.paceTimeout);
  entry.paceTimeout = undefined;
}
