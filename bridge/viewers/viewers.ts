// Owns those who look at terminals, in the relay's room and in rooms on this machine alike: coming,
// attaching, who types, what each has rendered, and how all of it is found again after a cut.
// Knows no dialect: its words come in, and what a viewer may do is asked before it comes here.

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

/** Somebody whom a room told of, before or after a cut. */
export interface Arriving {
  readonly number: number;
  readonly caller: Caller;
  readonly joined: PeerJoined;
  /** The room's channels, where it was just told of them. */
  readonly states?: ReadonlyMap<number, ChannelState>;
  /** What it was attached to before the link was cut. */
  readonly before?: Before | undefined;
}

/** Terminals by id, each with the rendition and the answers that were owed (`Returned`). */
export type Before = ReadonlyMap<
  string,
  { readonly rendition: RenditionName; readonly owed: number }
>;

export class Viewers {
  readonly #feed: Feed;
  readonly #log: Pick<Log, "error">;
  readonly #peers = new PeerTable();
  /** Each with what ends with it. */
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

  /** Undefined for a caller that is in no room. */
  of(caller: Caller): Peer | undefined {
    return this.#peers.of(caller);
  }

  /** Peers of this room may come from now on. */
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

  /** A room that is over, with everybody in it gone. */
  close(home: Home): void {
    this.#homes.get(home)?.dispose();
    this.#homes.delete(home);
    for (const open of home.channels.all()) home.channels.close(open);
  }

  /** It can be told things from now on; `settle` follows, once it was. */
  add(home: Home, { number, caller, joined }: Arriving): Peer {
    return this.#peers.add(number, home, caller, joined);
  }

  /** Takes up what the room still has of it, and what it had before a cut. */
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

  /**
   * The link is up anew: who was here before it was cut, with what each was attached to. What was
   * said last may not have arrived: of those it knew, the bridge knows best.
   */
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

  /** Everybody has settled: `missing` did not come back. */
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

  /** Everybody in this room will be told that the bridge is back, and answers with its place. */
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

  /** The room stopped sending to somebody who is too far behind; `drained` will follow. */
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

  /** What a raw viewer has rendered, as far as the room passes it on. */
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

  /** What a plain viewer has rendered; the room is told. */
  acked(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment?.channel === undefined) return;
    this.#rendered(peer, terminal, offset);
    const acked: Acked = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.acked, attachment.channel, toPayload(acked));
  }

  /** In its own rendition unless another is named. */
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

  /** Of those attached, these are no longer. */
  dismiss(terminal: PoolTerminal, whom: (caller: Caller) => boolean): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) {
      if (whom(peer.caller)) this.detach(peer, terminal);
    }
  }

  /** Around what it types: `type` hands that to the program, whatever becomes of the size. */
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

  /** It took over, or was handed the keyboard. */
  drives(peer: Peer, terminal: PoolTerminal): void {
    this.#driving.drove(peer, terminal);
  }

  driverOf(terminal: PoolTerminal): Peer | undefined {
    return this.#driving.driverOf(terminal);
  }

  /** It is called something else now: those who are told that it types are told again. */
  renamed(caller: Caller): void {
    const peer = this.#peers.of(caller);
    for (const id of peer?.attached.keys() ?? []) {
      const terminal = this.#feed.get(id);
      if (terminal !== undefined && this.driverOf(terminal) === peer)
        this.#driving.retell(terminal);
    }
  }

  /** It may type from now on, or no longer, into whatever it is attached to. */
  rights(peer: Peer, mayType: boolean): void {
    for (const id of peer.attached.keys()) {
      const terminal = this.#feed.get(id);
      if (terminal !== undefined) this.#driving.rights(peer, terminal, mayType);
    }
  }

  /** Its size stays so, whoever types; undefined: no longer. */
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

  /** The room was told the end before it could say that somebody was too far behind for it. */
  #ended(channel: number, number: number): { peer: Peer; terminal: PoolTerminal } | undefined {
    const peer = this.#peers.get(number);
    const [id] = [...(peer?.ended ?? [])].find(([, ended]) => ended.channel === channel) ?? [];
    const terminal = id === undefined ? undefined : this.#feed.get(id);
    return peer === undefined || terminal === undefined ? undefined : { peer, terminal };
  }
}
