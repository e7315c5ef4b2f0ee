// Owns the driver of each terminal and the effects: its size, pacing of the program by the driver's
// rendering, and notices to viewers. arbiter.ts makes the decisions.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Watch } from "../../protocol/link.ts";
import { withinCells } from "../../protocol/terminal.ts";
import type { Channel } from "../channels/channel.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Size, Stage } from "./arbiter.ts";
import {
  drove,
  emptyStage,
  entitled,
  left,
  pinned,
  resized,
  sat,
  typed,
  viewed,
} from "./arbiter.ts";
import type { Feed } from "./feed.ts";
import type { Peer, PeerTable } from "./peers.ts";

/** Below the 6 s after which the pty host ends a pause on its own, with a gap. */
const PATIENCE_MS = 5_000;

interface Play {
  stage: Stage;
  /** Runs while the driver paces the program; every ack restarts it. */
  patience: NodeJS.Timeout | undefined;
}

export interface DrivingEvents {
  /** Fires when the terminal's size changed. */
  resized(terminal: PoolTerminal): void;
  /** Fires when the driver, the number of viewers or the basis of the size changed. */
  changed(terminal: PoolTerminal, driver: Peer | undefined, viewers: number): void;
}

export class Driving {
  readonly #pool: Pick<Feed, "resize">;
  readonly #peers: PeerTable;
  readonly #events: DrivingEvents;
  readonly #now: () => number;
  readonly #plays = new Map<string, Play>();

  constructor(
    pool: Pick<Feed, "resize">,
    peers: PeerTable,
    events: DrivingEvents,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#pool = pool;
    this.#peers = peers;
    this.#events = events;
  }

  driverOf(terminal: PoolTerminal): Peer | undefined {
    const number = this.#plays.get(terminal.id)?.stage.driver;
    return number === undefined ? undefined : this.#peers.get(number);
  }

  /** Emits the driver again. */
  retell(terminal: PoolTerminal): void {
    const viewers = this.#plays.get(terminal.id)?.stage.seats.size ?? 0;
    this.#events.changed(terminal, this.driverOf(terminal), viewers);
  }

  sat(peer: Peer, terminal: PoolTerminal, mayDrive: boolean): void {
    const play = this.#plays.get(terminal.id) ?? this.#open(terminal);
    // A repeated attach keeps its entry: it is the same viewer.
    if (play.stage.seats.has(peer.number)) return;
    this.#set(terminal, play, sat(play.stage, peer.number, mayDrive));
  }

  left(peer: Peer, terminal: PoolTerminal): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined || !play.stage.seats.has(peer.number)) return;
    if (play.stage.driver === peer.number) this.#stopPacing(terminal, play, peer);
    this.#set(terminal, play, left(play.stage, peer.number));
    if (play.stage.seats.size === 0) this.#plays.delete(terminal.id);
  }

  /** Updates the right to drive after the viewer was added. */
  rights(peer: Peer, terminal: PoolTerminal, mayDrive: boolean): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined) return;
    if (!mayDrive && play.stage.driver === peer.number) this.#stopPacing(terminal, play, peer);
    this.#set(terminal, play, entitled(play.stage, peer.number, mayDrive));
  }

  /** Removes a viewer that did not come back after a disconnect. */
  vacated(number: number, terminal: PoolTerminal): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined) return;
    if (play.stage.driver === number) endPatience(play);
    this.#set(terminal, play, left(play.stage, number));
    if (play.stage.seats.size === 0) this.#plays.delete(terminal.id);
  }

  viewed(peer: Peer, terminal: PoolTerminal, size: Size, visible: boolean): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined) return;
    // A hidden viewer must not pace the program.
    if (!visible && play.stage.driver === peer.number) this.#stopPacing(terminal, play, peer);
    this.#set(terminal, play, viewed(play.stage, peer.number, withinCells(size), visible));
  }

  resized(peer: Peer, terminal: PoolTerminal, size: Size): void {
    const play = this.#plays.get(terminal.id) ?? this.#open(terminal);
    this.#set(terminal, play, resized(play.stage, peer.number, withinCells(size)));
    if (play.stage.seats.size === 0) this.#plays.delete(terminal.id);
  }

  /** Makes a viewer the driver by takeover or handover. */
  drove(peer: Peer, terminal: PoolTerminal): void {
    this.#claim(peer, terminal, (stage) => drove(stage, peer.number));
    this.paces(peer, terminal);
  }

  /** Makes a viewer the driver before its input is written, so that the size fits already. */
  claims(peer: Peer, terminal: PoolTerminal): void {
    this.#claim(peer, terminal, (stage) => typed(stage, peer.number, this.#now()));
  }

  /** Pins the size; `undefined` unpins. */
  pinned(terminal: PoolTerminal, size: Size | undefined): void {
    const play = this.#plays.get(terminal.id) ?? this.#open(terminal);
    this.#set(terminal, play, pinned(play.stage, size && withinCells(size)));
    if (play.stage.seats.size === 0) this.#plays.delete(terminal.id);
  }

  /** Returns the numbers of the peers that the size is based on. */
  sizersOf(terminal: PoolTerminal): readonly number[] {
    return this.#plays.get(terminal.id)?.stage.sizers ?? [];
  }

  #claim(peer: Peer, terminal: PoolTerminal, by: (stage: Stage) => Stage): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined) return;
    const before = this.driverOf(terminal);
    const next = by(play.stage);
    if (before !== peer && next.driver === peer.number) {
      if (before !== undefined) this.#stopPacing(terminal, play, before);
      this.#watch(peer, terminal, true);
    }
    this.#set(terminal, play, next);
  }

  /** Starts pacing right after input: output may be far ahead before the next ack. */
  paces(peer: Peer, terminal: PoolTerminal): void {
    const { acked, joined } = peer.attached.get(terminal.id) ?? {};
    if (acked !== undefined && joined === true) this.acked(peer, terminal, acked);
  }

  /** Paces the program by an ack. Without acks there is no pacing: the client cannot be awaited. */
  acked(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const play = this.#plays.get(terminal.id);
    if (play === undefined || play.stage.driver !== peer.number) return;
    if (play.stage.seats.get(peer.number)?.visible !== true) return;
    play.patience?.refresh();
    play.patience ??= setTimeout(() => {
      play.patience = undefined;
      this.#channelOf(peer, terminal)?.paceNoMore();
    }, PATIENCE_MS).unref();
    this.#channelOf(peer, terminal)?.pace(offset);
  }

  /** Requests a driver's acks again after its replay has reached the live stream. */
  joined(peer: Peer, terminal: PoolTerminal): void {
    if (this.#plays.get(terminal.id)?.stage.driver === peer.number) {
      this.#watch(peer, terminal, true);
    }
  }

  /** Stops pacing for a viewer that lost its position, until it has a new one. */
  lost(peer: Peer, terminal: PoolTerminal): void {
    const play = this.#plays.get(terminal.id);
    if (play?.stage.driver === peer.number) this.#stopPacing(terminal, play, peer);
  }

  #open({ id, cols, rows, meta }: PoolTerminal): Play {
    const play = { stage: emptyStage({ cols, rows }, meta.pinned), patience: undefined };
    this.#plays.set(id, play);
    return play;
  }

  #set(terminal: PoolTerminal, play: Play, stage: Stage): void {
    const before = play.stage;
    if (stage === before) return;
    play.stage = stage;
    const { cols, rows } = stage.size;
    if (terminal.cols !== cols || terminal.rows !== rows) {
      this.#pool.resize(terminal, cols, rows);
      this.#events.resized(terminal);
    }
    const isSized = before.sizers === stage.sizers && before.pinned === stage.pinned;
    const isDriven = before.driver === stage.driver && before.seats.size === stage.seats.size;
    if (isDriven && isSized) return;
    this.#events.changed(terminal, this.driverOf(terminal), stage.seats.size);
  }

  #stopPacing(terminal: PoolTerminal, play: Play, driver: Peer): void {
    endPatience(play);
    this.#channelOf(driver, terminal)?.pace(undefined);
    this.#watch(driver, terminal, false);
  }

  #watch(peer: Peer, terminal: PoolTerminal, on: boolean): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment?.rendition !== "raw" || !attachment.joined) return;
    if (attachment.channel === undefined) return;
    const watch: Watch = { peer: peer.number, on };
    peer.home.link.send(FrameType.watch, attachment.channel, toPayload(watch));
  }

  #channelOf({ home, attached, rendition }: Peer, terminal: PoolTerminal): Channel | undefined {
    const own = attached.get(terminal.id)?.rendition ?? rendition;
    return home.channels.find(terminal, own)?.channel;
  }
}

/** Clears the timer and removes it, since a cleared timer cannot be refreshed. */
function endPatience(play: Play): void {
  clearTimeout(play.patience);
  play.patience = undefined;
}
