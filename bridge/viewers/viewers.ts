// Owns the viewers of terminals, in the relay's room and in rooms on this machine: joining,
// attaching, driving, acks, and recovery after a disconnect. Knows no dialect: messages are
// injected, and permissions are checked before.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Acked, ChannelState, Drained, PeerJoined, Skipped } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/raw.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { Caller } from "../callers/caller.ts";
import { may } from "../callers/rights.ts";
import { Ends } from "../ends.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Size } from "./arbiter.ts";
import type { Place } from "./attaching.ts";
import { Attaching } from "./attaching.ts";
import { Driving } from "./driving.ts";
import type { Feed } from "./feed.ts";
import type { Home, Peer } from "./peers.ts";
import { PeerTable } from "./peers.ts";
import { SeatNews } from "./seat-news.ts";
import type { SnapshotSource } from "./snapshots.ts";
import type { WordsBy } from "./words.ts";

/** A peer that a room announced, before or after a disconnect. */
export interface Arriving {
  readonly number: number;
  readonly caller: Caller;
  readonly joined: PeerJoined;
  /** The room's channels, if it has just announced them. */
  readonly states?: ReadonlyMap<number, ChannelState>;
  /** Its attachments before the link was cut. */
  readonly before?: Before | undefined;
}

/** By terminal id: the rendition and the owed answers (`Returned`). */
export type Before = ReadonlyMap<
  string,
  { readonly rendition: RenditionName; readonly owed: number }
>;

export class Viewers {
  readonly #feed: Feed;
  readonly #log: Pick<Log, "error">;
  readonly #peers = new PeerTable();
  /** Each with its subscriptions. */
  readonly #homes = new Map<Home, Ends>();
  readonly #attaching: Attaching;
  readonly #driving: Driving;

  constructor(feed: Feed, screens: SnapshotSource, words: WordsBy, log: Pick<Log, "error">) {
    this.#feed = feed;
    this.#log = log;
    this.#attaching = new Attaching(feed, this.#peers, screens, words, {
      joined: (peer, terminal) => this.#driving.joined(peer, terminal),
      gone: (peer, terminal) => this.#driving.left(peer, terminal),
      fault: (terminal, error) => logFault(log, `attaching to ${terminal.id}`, error),
    });
    const news = new SeatNews({
      feed,
      peers: this.#peers,
      homes: () => this.#homes.keys(),
      words,
      sizersOf: (terminal) => this.#driving.sizersOf(terminal),
    });
    this.#driving = new Driving(feed, this.#peers, {
      resized: (terminal) => news.resized(terminal),
      changed: (terminal, driver, viewers) => news.driverChanged(terminal, driver, viewers),
    });
  }

  all(): readonly Peer[] {
    return this.#peers.all();
  }

  get(number: number): Peer | undefined {
    return this.#peers.get(number);
  }

  /** Returns the peer of a caller; undefined if the caller is in no room. */
  of(caller: Caller): Peer | undefined {
    return this.#peers.of(caller);
  }

  /** Adds a room, so that its peers may join. */
  open(home: Home): void {
    const ends = new Ends();
    this.#homes.set(home, ends);
    ends.own(
      home.channels.onBroken((terminal, rendition, isKept) => {
        for (const peer of this.#peers.attachedTo(terminal.id)) this.#driving.lost(peer, terminal);
        this.#attaching.restart(home, terminal, rendition, isKept);
      }),
      home.channels.onFinished((open) => this.#attaching.finished(home, open)),
    );
  }

  /** Removes a room after all its peers have left. */
  close(home: Home): void {
    this.#homes.get(home)?.dispose();
    this.#homes.delete(home);
    for (const open of home.channels.all()) home.channels.close(open);
  }

  /** Adds a peer, which can get messages from then on; `settle` follows. */
  add(home: Home, { number, caller, joined }: Arriving): Peer {
    return this.#peers.add(number, home, caller, joined);
  }

  /** Restores the peer's subscriptions in the room, and its attachments before a disconnect. */
  settle(peer: Peer, { joined, states, before }: Arriving): void {
    const grant = peer.caller.grant();
    if (grant === undefined) return;
    const mayType = may(grant, "change");
    for (const subscription of joined.subscriptions) {
      const key = states?.get(subscription.channel)?.key;
      const subject = key === undefined ? undefined : peer.home.channels.subjectOf(key);
      if (subject === undefined) continue;
      const { terminal, rendition } = subject;
      const owed = 1 + (before?.get(terminal.id)?.owed ?? 0);
      this.#attaching.adopt(peer, subscription, terminal, rendition, owed);
      if (before?.has(terminal.id) === false) this.#attaching.detach(peer, terminal);
      else this.#sit(peer, terminal, mayType);
    }
    for (const [id, { rendition, owed }] of before ?? []) {
      const terminal = peer.attached.has(id) ? undefined : this.#feed.get(id);
      if (terminal === undefined) continue;
      this.#attaching.awaitReturn(peer, terminal, rendition, 1 + owed);
      this.#sit(peer, terminal, mayType);
    }
  }

  /** Removes and returns the peers before a disconnect: the room may lack the last messages. */
  beforeCut(home: Home): Map<number, Before> {
    const had = ({ attached }: Peer): Before =>
      new Map(
        [...attached].map(([id, { rendition, returned }]) => [
          id,
          { rendition, owed: returned?.owed ?? 0 },
        ]),
      );
    return new Map(this.#peers.removeAll(home).map((peer) => [peer.number, had(peer)] as const));
  }

  /** Cleans up once all peers have settled; `missing` did not come back. */
  reconcile(
    home: Home,
    missing: ReadonlyMap<number, Before>,
    states: ReadonlyMap<number, ChannelState>,
  ): void {
    for (const [number, before] of missing) {
      for (const id of before.keys()) {
        const terminal = this.#feed.get(id);
        if (terminal !== undefined) this.#driving.vacated(number, terminal);
      }
    }
    home.channels.reconcile(states);
    for (const open of home.channels.all()) this.#attaching.closeIfAlone(home, open.terminal);
  }

  /** Records that all viewers in this room will answer the bridge's return with their position. */
  returned(home: Home): void {
    const at = performance.now();
    for (const peer of this.#peers.all()) {
      if (peer.home !== home) continue;
      for (const viewer of [...peer.attached.values(), ...peer.ended.values()]) {
        viewer.returned = { at, owed: 1 + (viewer.returned?.owed ?? 0) };
      }
    }
  }

  left(number: number): Peer | undefined {
    const peer = this.#peers.remove(number);
    if (peer === undefined) return undefined;
    for (const id of peer.attached.keys()) {
      const terminal = this.#feed.get(id);
      if (terminal === undefined) continue;
      this.#driving.left(peer, terminal);
      this.#attaching.closeIfAlone(peer.home, terminal);
    }
    return peer;
  }

  /** Handles a peer that is too far behind; `drained` will follow. */
  skipped(home: Home, channel: number, { peer: number, attach, sent }: Skipped): void {
    const found = this.#subscription(home, channel, number, attach) ?? this.#ended(channel, number);
    if (found === undefined) return;
    this.#driving.lost(found.peer, found.terminal);
    this.#attaching.skipped(found.peer, found.terminal, sent);
  }

  drained(home: Home, channel: number, { peer: number, attach }: Drained): void {
    const found = this.#subscription(home, channel, number, attach);
    if (found !== undefined) this.#attaching.drained(found.peer, found.terminal);
  }

  /** Handles acks of a raw viewer that the room passes on. */
  acks(number: number, acks: readonly ChannelAck[]): void {
    const peer = this.#peers.get(number);
    if (peer === undefined) return;
    for (const { channel, offset } of acks) {
      for (const [id, attachment] of peer.attached) {
        const terminal = attachment.channel === channel ? this.#feed.get(id) : undefined;
        if (terminal !== undefined) this.#rendered(peer, terminal, offset);
      }
    }
  }

  /** Handles an ack of a plain viewer, and forwards it to the room. */
  acked(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment?.channel === undefined) return;
    this.#rendered(peer, terminal, offset);
    const acked: Acked = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.acked, attachment.channel, toPayload(acked));
  }

  /** Attaches a peer, in its own rendition unless another is given. */
  attach(
    peer: Peer,
    terminal: PoolTerminal,
    mayType: boolean,
    place?: Place,
    rendition = peer.rendition,
  ): void {
    if (place !== undefined && this.#attaching.stays(peer, terminal, rendition, place)) return;
    this.#driving.lost(peer, terminal);
    if (this.#attaching.attach(peer, terminal, rendition, place))
      this.#sit(peer, terminal, mayType);
  }

  detach(peer: Peer, terminal: PoolTerminal): void {
    this.#driving.left(peer, terminal);
    this.#attaching.detach(peer, terminal);
  }

  /** Detaches the callers that match. */
  dismiss(terminal: PoolTerminal, whom: (caller: Caller) => boolean): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) {
      if (whom(peer.caller)) this.detach(peer, terminal);
    }
  }

  /** Runs `type`, which writes a peer's input, even if making it the driver fails. */
  types(peer: Peer, terminal: PoolTerminal, type: () => void): void {
    try {
      this.#driving.claims(peer, terminal);
    } catch (error) {
      logFault(this.#log, `sizing ${terminal.id} for what is typed`, error);
    }
    type();
    peer.home.channels.typed(terminal);
    this.#driving.paces(peer, terminal);
  }

  /** Makes a peer the driver by takeover or handover. */
  drives(peer: Peer, terminal: PoolTerminal): void {
    this.#driving.drove(peer, terminal);
  }

  driverOf(terminal: PoolTerminal): Peer | undefined {
    return this.#driving.driverOf(terminal);
  }

  /** Sends the driver again after a caller changed its name. */
  renamed(caller: Caller): void {
    const peer = this.#peers.of(caller);
    for (const id of peer?.attached.keys() ?? []) {
      const terminal = this.#feed.get(id);
      if (terminal !== undefined && this.driverOf(terminal) === peer)
        this.#driving.retell(terminal);
    }
  }

  /** Gives or revokes the right to type in all its attachments. */
  rights(peer: Peer, mayType: boolean): void {
    for (const id of peer.attached.keys()) {
      const terminal = this.#feed.get(id);
      if (terminal !== undefined) this.#driving.rights(peer, terminal, mayType);
    }
  }

  /** Pins the size; `undefined` unpins. */
  pinned(terminal: PoolTerminal, size: Size | undefined): void {
    this.#driving.pinned(terminal, size);
  }

  resized(peer: Peer, terminal: PoolTerminal, size: Size): void {
    this.#driving.resized(peer, terminal, size);
  }

  viewed(peer: Peer, terminal: PoolTerminal, size: Size, visible: boolean): void {
    this.#driving.viewed(peer, terminal, size, visible);
  }

  #sit(peer: Peer, terminal: PoolTerminal, mayType: boolean): void {
    if (terminal.life.state !== "finished") this.#driving.sat(peer, terminal, mayType);
  }

  #rendered(peer: Peer, terminal: PoolTerminal, offset: number): void {
    this.#attaching.acked(peer, terminal, offset);
    if (peer.attached.get(terminal.id)?.joined === true) {
      this.#driving.acked(peer, terminal, offset);
    }
  }

  #subscription(
    home: Home,
    channel: number,
    number: number,
    attach: number,
  ): { peer: Peer; terminal: PoolTerminal } | undefined {
    const terminal = home.channels.byNumber(channel)?.terminal;
    const peer = this.#peers.get(number);
    if (terminal === undefined || peer?.attached.get(terminal.id)?.attach !== attach) {
      return undefined;
    }
    return { peer, terminal };
  }

  /** Finds a peer whose terminal ended before the room reported it as skipped. */
  #ended(channel: number, number: number): { peer: Peer; terminal: PoolTerminal } | undefined {
    const peer = this.#peers.get(number);
    const [id] = [...(peer?.ended ?? [])].find(([, ended]) => ended.channel === channel) ?? [];
    const terminal = id === undefined ? undefined : this.#feed.get(id);
    return peer === undefined || terminal === undefined ? undefined : { peer, terminal };
  }
}
