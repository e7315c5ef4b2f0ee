// Owns the pty dialect as spoken on people's sockets: every message is looked up, checked and
// carried out, or answered with a pty:error. Nothing a peer sends can harm another.

import { CloseCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { parseText, toPayload } from "../../../protocol/json.ts";
import type {
  Acked,
  ChannelState,
  Drained,
  PeerClose,
  PeerJoined,
  Skipped,
} from "../../../protocol/link.ts";
import type { PtyRequest } from "../../../protocol/pty.ts";
import { Pong } from "../../../protocol/pty.ts";
import type { ChannelAck } from "../../../protocol/raw.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { Grant, GrantTable } from "../../grants/table.ts";
import { isReply } from "../../screens/queries.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Place } from "./attaching.ts";
import { Attaching } from "./attaching.ts";
import { Driving } from "./driving.ts";
import type { Home, Peer } from "./peers.ts";
import { PeerTable } from "./peers.ts";
import { Pings } from "./pings.ts";
import { explain, readRequest } from "./request.ts";
import { whyNoInput, whyNot } from "./rights.ts";
import type { SnapshotSource } from "./snapshots.ts";
import { tell, tellAll } from "./telling.ts";
import {
  askedWords,
  driverWords,
  errorWords,
  resizedWords,
  terminalsWords,
  titledWords,
} from "./words.ts";

export class PtyDialect {
  readonly #pool: TerminalPool;
  readonly #grants: GrantTable;
  readonly #peers = new PeerTable();
  readonly #homes = new Set<Home>();
  readonly #attaching: Attaching;
  readonly #driving: Driving;
  readonly #pings = new Pings((number, message) => {
    const peer = this.#peers.get(number);
    if (peer !== undefined) tell(peer, message);
  });

  constructor(pool: TerminalPool, grants: GrantTable, screens: SnapshotSource) {
    this.#pool = pool;
    this.#grants = grants;
    this.#attaching = new Attaching(pool, this.#peers, screens, {
      joined: (peer, terminal) => this.#driving.joined(peer, terminal),
      gone: (peer, terminal) => this.#driving.left(peer, terminal),
    });
    this.#driving = new Driving(pool, this.#peers, {
      resized: (terminal) => this.#tellSize(terminal),
      changed: (terminal, driver, viewers) => this.#tellDriver(terminal, driver, viewers),
    });
    pool.onEvent((event) => {
      const message = toBytes(JSON.stringify(event));
      for (const { link } of this.#homes) link.send(FrameType.peerSend, 0, message);
    });
    pool.onTitle(({ id, title }) => {
      // Not to an empty room, which sleeps: whoever comes is told with the list.
      const homes = new Set(this.#peers.all().map(({ home }) => home));
      const message = toBytes(titledWords(id, title));
      for (const { link } of homes) link.send(FrameType.peerSend, 0, message);
    });
  }

  get people(): readonly Peer[] {
    return this.#peers.all();
  }

  /** Milliseconds through the room to a person and back; undefined when its client does not answer. */
  ping(number: number): Promise<number | undefined> {
    return this.#pings.ping(number);
  }

  /** Peers of this room may come from now on. */
  open(home: Home): void {
    this.#homes.add(home);
    home.channels.onBroken = (terminal, rendition, isKept) => {
      for (const peer of this.#peers.attachedTo(terminal.id)) this.#driving.lost(peer, terminal);
      this.#attaching.restart(home, terminal, rendition, isKept);
    };
    home.channels.onFinished = (open) => this.#attaching.finished(home, open);
  }

  /** A room that is over, with everybody in it gone. */
  close(home: Home): void {
    this.#homes.delete(home);
    for (const open of home.channels.all()) home.channels.close(open);
  }

  /**
   * The link is up anew: who is in the room, and what each is attached to there. Peers come before
   * channels, so that a channel that lost its place finds those who need a new start.
   */
  reconcile(
    home: Home,
    joined: ReadonlyMap<number, PeerJoined>,
    states: ReadonlyMap<number, ChannelState>,
  ): void {
    // What was said last before a cut may not have arrived: of peers it knew, the bridge knows best.
    const before = new Map(
      this.#peers.removeAll(home).map((peer) => [peer.number, peer.attached] as const),
    );
    for (const [number, peer] of joined) {
      this.joined(home, number, peer, states, before.get(number));
    }
    for (const [number, attached] of before) {
      if (!joined.has(number)) this.#leaveSeats(number, attached.keys());
    }
    home.channels.reconcile(states);
    for (const open of home.channels.all()) this.#attaching.closeIfAlone(home, open.terminal);
  }

  joined(
    home: Home,
    number: number,
    joined: PeerJoined,
    states: ReadonlyMap<number, ChannelState> = new Map(),
    before?: ReadonlyMap<string, unknown>,
  ): void {
    const peer = this.#peers.add(number, home, joined);
    const grant = this.#grantOf(peer);
    if (grant === undefined) return;
    for (const message of terminalsWords(this.#pool.list(), grant.role, number)) {
      tell(peer, message);
    }
    for (const subscription of joined.subscriptions) {
      const key = states.get(subscription.channel)?.key;
      const terminal = key === undefined ? undefined : home.channels.subjectOf(key)?.terminal;
      if (terminal === undefined) continue;
      this.#attaching.adopt(peer, subscription, terminal);
      if (before?.has(terminal.id) === false) this.#attaching.detach(peer, terminal);
      else this.#sit(peer, terminal, grant);
    }
    for (const id of before?.keys() ?? []) {
      const terminal = peer.attached.has(id) ? undefined : this.#pool.get(id);
      if (terminal === undefined) continue;
      this.#attaching.awaitReturn(peer, terminal);
      this.#sit(peer, terminal, grant);
    }
  }

  left(number: number): Peer | undefined {
    const peer = this.#peers.remove(number);
    if (peer === undefined) return undefined;
    for (const id of peer.attached.keys()) {
      const terminal = this.#pool.get(id);
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

  /** What a raw peer has rendered, as far as the room passes it on. */
  acks(number: number, acks: readonly ChannelAck[]): void {
    const peer = this.#peers.get(number);
    if (peer === undefined) return;
    for (const { channel, offset } of acks) {
      for (const [id, attachment] of peer.attached) {
        const terminal = attachment.channel === channel ? this.#pool.get(id) : undefined;
        if (terminal !== undefined) this.#rendered(peer, terminal, offset);
      }
    }
  }

  message(number: number, payload: Uint8Array): void {
    const peer = this.#peers.get(number);
    const grant = peer === undefined ? undefined : this.#grantOf(peer);
    if (peer === undefined || grant === undefined) return;
    const text = toText(payload);
    const parsed = readRequest(text);
    if (!parsed.ok) {
      const pong = parseText(Pong, text);
      if (pong.ok) return this.#pings.answered(number, pong.value.n);
      return tell(peer, explain(text, parsed.error));
    }
    const request = parsed.value;
    const refusal = whyNot(grant.role, request.type);
    if (refusal !== undefined) return tell(peer, errorWords("forbidden", refusal, request.id));
    const terminal = this.#pool.get(request.id);
    if (terminal === undefined) {
      return tell(peer, errorWords("not_found", "Session not found", request.id));
    }
    return this.#carryOut(peer, grant, terminal, request);
  }

  #carryOut(peer: Peer, grant: Grant, terminal: PoolTerminal, request: PtyRequest): void {
    switch (request.type) {
      case "pty:attach": {
        const { epoch, offset } = request;
        const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset };
        return this.#attach(peer, terminal, grant, place);
      }
      case "pty:detach":
        this.#driving.left(peer, terminal);
        return this.#attaching.detach(peer, terminal);
      case "pty:input": {
        // What a viewer's terminal says by itself: the bridge has answered already.
        if (isReply(request.data)) return undefined;
        const refusal = whyNoInput(terminal);
        if (refusal !== undefined) {
          return tell(peer, errorWords("forbidden", refusal, terminal.id));
        }
        this.#driving.claims(peer, terminal);
        this.#pool.input(terminal, toBytes(request.data));
        peer.home.channels.typed(terminal);
        return this.#driving.paces(peer, terminal);
      }
      case "pty:resize":
        return this.#driving.resized(peer, terminal, request);
      case "pty:view":
        return this.#driving.viewed(peer, terminal, request, request.visible);
      case "pty:drive":
        return this.#driving.drove(peer, terminal);
      case "pty:ask":
        return this.#ask(peer, grant, terminal);
      case "pty:give":
        return this.#give(peer, terminal, request.peer);
      case "pty:close":
        return void this.#pool.close(terminal, `asked by ${peer.grant}`);
      case "pty:ack":
        return this.#ack(peer, terminal, request.offset);
    }
  }

  #attach(peer: Peer, terminal: PoolTerminal, grant: Grant, place?: Place): void {
    if (place !== undefined && this.#attaching.stays(peer, terminal, place)) return;
    this.#driving.lost(peer, terminal);
    if (this.#attaching.attach(peer, terminal, place)) this.#sit(peer, terminal, grant);
  }

  #sit(peer: Peer, terminal: PoolTerminal, grant: Grant): void {
    if (terminal.life.state !== "finished") {
      this.#driving.sat(peer, terminal, grant.role === "edit");
    }
  }

  #leaveSeats(number: number, ids: Iterable<string>): void {
    for (const id of ids) {
      const terminal = this.#pool.get(id);
      if (terminal !== undefined) this.#driving.vacated(number, terminal);
    }
  }

  #ack(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment?.channel === undefined) return;
    this.#rendered(peer, terminal, offset);
    const acked: Acked = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.acked, attachment.channel, toPayload(acked));
  }

  #rendered(peer: Peer, terminal: PoolTerminal, offset: number): void {
    this.#attaching.acked(peer, terminal, offset);
    if (peer.attached.get(terminal.id)?.joined === true) {
      this.#driving.acked(peer, terminal, offset);
    }
  }

  #ask(peer: Peer, grant: Grant, terminal: PoolTerminal): void {
    const driver = this.#driving.driverOf(terminal);
    if (driver === undefined) return this.#driving.drove(peer, terminal);
    if (driver === peer) return undefined;
    return tell(driver, askedWords(terminal.id, peer.number, nameOf(grant)));
  }

  #give(peer: Peer, terminal: PoolTerminal, to: number): void {
    const next = this.#peers.get(to);
    if (this.#driving.driverOf(terminal) !== peer) {
      const error = "Only whoever drives can hand over; take over with pty:drive";
      return tell(peer, errorWords("forbidden", error, terminal.id));
    }
    if (next?.attached.has(terminal.id) !== true) {
      return tell(peer, errorWords("not_found", "That viewer is not here any more", terminal.id));
    }
    return this.#driving.drove(next, terminal);
  }

  #tellSize({ id, cols, rows }: PoolTerminal): void {
    const terminal = this.#pool.get(id);
    if (terminal === undefined) return;
    for (const { channels } of this.#homes) {
      for (const { channel } of channels.of(terminal)) channel.event(resizedWords(id, cols, rows));
    }
  }

  #tellDriver({ id }: PoolTerminal, driver: Peer | undefined, viewers: number): void {
    const grant = driver === undefined ? undefined : this.#grants.lookUp(driver.grant);
    const message = driverWords({
      id,
      driver: driver?.number ?? null,
      ...(grant === undefined ? {} : { label: nameOf(grant) }),
      viewers,
    });
    const attached = this.#peers.attachedTo(id);
    for (const home of this.#homes) {
      const peers = attached.filter((peer) => peer.home === home);
      if (peers.length > 0) tellAll(home, peers, message);
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
    const terminal = id === undefined ? undefined : this.#pool.get(id);
    return peer === undefined || terminal === undefined ? undefined : { peer, terminal };
  }

  /** Every message asks again: a grant may have been revoked or have run out since. */
  #grantOf(peer: Peer): Grant | undefined {
    const grant = this.#grants.lookUp(peer.grant);
    if (grant !== undefined) return grant;
    const close: PeerClose = {
      code: CloseCode.unauthorized,
      reason: "this link has expired or was revoked",
    };
    peer.home.link.send(FrameType.peerClose, peer.number, toPayload(close));
    return undefined;
  }
}

/** How others are told who somebody is. */
function nameOf({ label, role }: Grant): string {
  return label === "" ? `${role} link` : label;
}
