// Owns the attachments: attach, detach, a lost position and a new start. attach-json.ts and
// attach-raw.ts bring a viewer to the live stream.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Join, Leave, Subscription } from "../../protocol/link.ts";
import type { OpenChannel } from "../channels/table.ts";
import type { RenditionName } from "../channels/rendition.ts";
import { isText } from "../channels/rendition.ts";
import { FAULT } from "../faults.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import { JsonAttaching } from "./attach-json.ts";
import { RawAttaching } from "./attach-raw.ts";
import type { Attachment, Ended, Home, Peer, PeerTable } from "./peers.ts";
import { ReplayFetches } from "./replay-fetches.ts";
import type { SnapshotSource } from "./snapshots.ts";
import { Staying } from "./staying.ts";
import { tell } from "../channels/telling.ts";
import type { Feed } from "./feed.ts";
import type { WordsBy } from "./words.ts";

/** Minimum time between unrequested new starts of one viewer. */
const RENEW_EVERY_MS = 250;

/** A client that resumes after the bridge's return reports its offset sooner. */
const RETURN_MS = 2_000;

/** Maximum finished terminals per peer that can be resumed. */
const ENDED_KEPT = MAX_ATTACHED;

/** The position that a client reports. */
export interface Place {
  readonly epoch: number;
  readonly offset: number;
}

/** One attach of one peer, on its way to the live stream. */
export interface Arrival {
  readonly peer: Peer;
  readonly terminal: PoolTerminal;
  readonly attachment: Attachment;
  /** Whether the viewer requested it; false for a new start by the bridge. */
  readonly isAsked: boolean;
}

/** Results of an attach, common to both renditions. */
export interface Gate {
  isCurrent(arrival: Arrival): boolean;
  /** Joins the live stream: the replay reached `offset`, where the room's output continues. */
  join(arrival: Arrival, open: OpenChannel, offset: number): void;
  /** Starts over: the bytes to send next are no longer retained. */
  renew(arrival: Arrival): void;
  /** Finishes: the replay reached the end of a finished terminal. */
  over(arrival: Arrival): void;
  fail(arrival: Arrival, error: unknown): void;
}

export interface AttachingEvents {
  /** Fires when a viewer joins the live stream. */
  joined(peer: Peer, terminal: PoolTerminal): void;
  /** Fires when an attachment ends without a detach. */
  gone(peer: Peer, terminal: PoolTerminal): void;
  /** Fires when an attach fails by an internal error. */
  fault(terminal: PoolTerminal, error: unknown): void;
}

export class Attaching {
  readonly #peers: PeerTable;
  readonly #words: WordsBy;
  readonly #events: AttachingEvents;
  readonly #json: JsonAttaching;
  readonly #raw: RawAttaching;
  readonly #staying: Staying;
  #lastAttach = 0;

  constructor(
    pool: Feed,
    peers: PeerTable,
    screens: SnapshotSource,
    words: WordsBy,
    events: AttachingEvents,
  ) {
    this.#peers = peers;
    this.#words = words;
    this.#events = events;
    const gate: Gate = {
      isCurrent: (arrival) => this.#isCurrent(arrival),
      join: (arrival, open, offset) => this.#join(arrival, open, offset),
      renew: ({ peer, terminal }) => this.renew(peer, terminal),
      over: (arrival) => this.#over(arrival),
      fail: (arrival, error) => this.#fail(arrival, error),
    };
    const fetches = new ReplayFetches(pool);
    this.#json = new JsonAttaching(fetches, words, gate);
    this.#raw = new RawAttaching(fetches, screens, words("raw"), gate);
    this.#staying = new Staying(fetches, words, (peer, terminal) => this.renew(peer, terminal));
  }

  /** Whether a viewer that resumes after the bridge's return stays joined; sends its position. */
  stays(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    { epoch, offset }: Place,
  ): boolean {
    const isSame = (renditionAt(peer, terminal) ?? rendition) === rendition;
    return isSame && epoch === terminal.epoch && this.#staying.answer(peer, terminal, offset);
  }

  /** Starts an attach; returns false if the peer has too many. */
  attach(peer: Peer, terminal: PoolTerminal, rendition: RenditionName, place?: Place): boolean {
    if (!peer.attached.has(terminal.id) && peer.attached.size >= MAX_ATTACHED) {
      const error = `Attached to ${MAX_ATTACHED} terminals already; detach from some first`;
      tell(peer, this.#words(rendition).error("too_many", error, terminal.id));
      return false;
    }
    const asked = place?.epoch === terminal.epoch ? place.offset : undefined;
    this.#go({ ...this.#arrive(peer, terminal, rendition, 0), isAsked: true }, asked);
    return true;
  }

  /** Starts over after a lost position, at a limited rate. */
  renew(peer: Peer, terminal: PoolTerminal): void {
    this.#again(peer, terminal, undefined);
  }

  /** Restarts a skipped peer that has caught up; a raw viewer continues where it was skipped. */
  drained(peer: Peer, terminal: PoolTerminal): void {
    const { skippedAt, rendition } = peer.attached.get(terminal.id) ?? {};
    this.#again(peer, terminal, rendition === "raw" ? skippedAt : undefined);
  }

  /** Waits for a viewer to attach again with its position; starts over if it does not. */
  awaitReturn(peer: Peer, terminal: PoolTerminal, rendition: RenditionName, owed = 0): void {
    const arrival = this.#arrive(peer, terminal, rendition, 0);
    const { attachment } = arrival;
    if (owed > 0) attachment.returned = { at: performance.now(), owed };
    attachment.awaited = true;
    setTimeout(() => {
      if (!this.#isCurrent(arrival)) return;
      // Its answer may still come, with a position from before this start.
      const { returned } = attachment;
      if (returned !== undefined) attachment.returned = { ...returned, at: performance.now() };
      this.#go(arrival, undefined);
    }, RETURN_MS).unref();
  }

  /** Handles a peer that the room skipped at this offset; it may lack the end. */
  skipped(peer: Peer, terminal: PoolTerminal, sent: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment !== undefined) attachment.skippedAt = sent;
    else {
      const ended = peer.ended.get(terminal.id);
      if (ended !== undefined) this.#begin(peer, terminal, ended.rendition, sent);
    }
  }

  detach(peer: Peer, terminal: PoolTerminal): void {
    this.#leave(peer, terminal.id);
    peer.attached.delete(terminal.id);
    peer.ended.delete(terminal.id);
    this.closeIfAlone(peer.home, terminal);
  }

  /** Ends the attachments of a channel that has sent the exit. */
  finished(home: Home, { number, terminal }: OpenChannel): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) {
      const attachment = peer.attached.get(terminal.id);
      // Viewers that have not joined get the end by their replay.
      if (peer.home !== home || attachment?.channel !== number || !attachment.joined) continue;
      const { skippedAt, returned, rendition } = attachment;
      // The channel is gone, so no `drained` will come: continues where it was skipped.
      const ended = { channel: number, returned, rendition };
      if (skippedAt === undefined) this.#end(peer, terminal, ended);
      else this.#begin(peer, terminal, rendition, skippedAt);
    }
  }

  /** Restarts all attachments of a broken channel; if `isKept`, each from its own position. */
  restart(home: Home, terminal: PoolTerminal, rendition: RenditionName, isKept: boolean): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) {
      if (peer.home !== home || renditionAt(peer, terminal) !== rendition) continue;
      if (isKept) this.awaitReturn(peer, terminal, rendition);
      else this.renew(peer, terminal);
    }
  }

  /** Takes over a subscription of the room, from before a disconnect or from another bridge. */
  adopt(
    peer: Peer,
    { channel, attach, skipped }: Subscription,
    terminal: PoolTerminal,
    rendition: RenditionName,
    owed: number,
  ): void {
    this.#lastAttach = Math.max(this.#lastAttach, attach);
    const attachment = newAttachment(attach, rendition, 0);
    attachment.channel = channel;
    attachment.joined = true;
    attachment.returned = { at: performance.now(), owed };
    peer.attached.set(terminal.id, attachment);
    if (skipped) this.awaitReturn(peer, terminal, rendition, owed);
  }

  acked(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment === undefined) return;
    attachment.acked = Math.max(attachment.acked ?? 0, offset);
    attachment.onAck?.();
  }

  /** Closes channels of a terminal without attachments. */
  closeIfAlone(home: Home, terminal: PoolTerminal): void {
    const attached = this.#peers.attachedTo(terminal.id).filter((peer) => peer.home === home);
    for (const open of home.channels.of(terminal)) {
      if (attached.every((peer) => renditionAt(peer, terminal) !== open.rendition)) {
        home.channels.close(open);
      }
    }
  }

  #again(peer: Peer, terminal: PoolTerminal, asked: number | undefined): void {
    const { renewedAt = 0, rendition = peer.rendition } = peer.attached.get(terminal.id) ?? {};
    const now = performance.now();
    const wait = renewedAt === 0 ? 0 : renewedAt + RENEW_EVERY_MS - now;
    // A resumed attach does not count as a new start yet.
    const renewsAt = asked === undefined ? now + Math.max(0, wait) : renewedAt;
    const arrival = this.#arrive(peer, terminal, rendition, renewsAt);
    if (wait <= 0) return this.#go(arrival, asked);
    setTimeout(() => {
      if (this.#isCurrent(arrival)) this.#go(arrival, asked);
    }, wait).unref();
    return undefined;
  }

  #begin(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    asked: number | undefined,
  ): void {
    this.#go(this.#arrive(peer, terminal, rendition, 0), asked);
  }

  #arrive(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    renewedAt: number,
  ): Arrival {
    this.#leave(peer, terminal.id);
    const attachment = newAttachment(++this.#lastAttach, rendition, renewedAt);
    const before = peer.attached.get(terminal.id) ?? peer.ended.get(terminal.id);
    attachment.returned = before?.returned;
    peer.attached.set(terminal.id, attachment);
    peer.ended.delete(terminal.id);
    return { peer, terminal, attachment, isAsked: false };
  }

  #go(arrival: Arrival, asked: number | undefined): void {
    arrival.attachment.awaited = false;
    const way = isText(arrival.attachment.rendition) ? this.#json : this.#raw;
    way.start(arrival, asked).catch((error: unknown) => this.#fail(arrival, error));
  }

  #join({ peer, terminal, attachment }: Arrival, open: OpenChannel, offset: number): void {
    const { toldSize } = attachment;
    const { id, cols, rows } = terminal;
    if (toldSize && (toldSize.cols !== cols || toldSize.rows !== rows)) {
      tell(peer, this.#words(attachment.rendition).resized(id, cols, rows));
    }
    const join: Join = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.join, open.number, toPayload(join));
    attachment.channel = open.number;
    attachment.joined = true;
    // A raw viewer acks: its input may start a flood of output before its first ack arrives.
    if (attachment.rendition === "raw") attachment.acked = Math.max(attachment.acked ?? 0, offset);
    this.#events.joined(peer, terminal);
  }

  #over({ peer, terminal, attachment }: Arrival): void {
    const { life } = terminal;
    const { rendition, channel = 0 } = attachment;
    if (life.state === "finished") tell(peer, this.#words(rendition).exit(terminal.id, life.exit));
    this.#end(peer, terminal, { channel, returned: attachment.returned, rendition });
  }

  /** Ends an attachment that was sent everything up to the exit. */
  #end(peer: Peer, terminal: PoolTerminal, ended: Ended): void {
    peer.attached.delete(terminal.id);
    const [oldest] = peer.ended.keys();
    if (oldest !== undefined && peer.ended.size >= ENDED_KEPT) peer.ended.delete(oldest);
    peer.ended.set(terminal.id, ended);
    this.#events.gone(peer, terminal);
  }

  #fail(arrival: Arrival, error: unknown): void {
    const isFault = !(error instanceof Unavailable);
    if (isFault) this.#events.fault(arrival.terminal, error);
    if (!this.#isCurrent(arrival)) return;
    const { peer, terminal } = arrival;
    peer.attached.delete(terminal.id);
    this.closeIfAlone(peer.home, terminal);
    const words = this.#words(arrival.attachment.rendition);
    const sentence = isFault
      ? words.error("internal", FAULT, terminal.id)
      : words.error("not_found", "Session not found", terminal.id);
    tell(peer, sentence);
    this.#events.gone(peer, terminal);
  }

  #leave(peer: Peer, id: string): void {
    const attachment = peer.attached.get(id);
    if (attachment === undefined) return;
    attachment.onAck = undefined;
    if (!attachment.joined || attachment.channel === undefined) return;
    const leave: Leave = { peer: peer.number };
    peer.home.link.send(FrameType.leave, attachment.channel, toPayload(leave));
  }

  #isCurrent({ peer, terminal, attachment }: Arrival): boolean {
    return this.#peers.get(peer.number) === peer && peer.attached.get(terminal.id) === attachment;
  }
}

function renditionAt({ attached }: Peer, { id }: PoolTerminal): RenditionName | undefined {
  return attached.get(id)?.rendition;
}

function newAttachment(attach: number, rendition: RenditionName, renewedAt: number): Attachment {
  return {
    attach,
    rendition,
    toldSize: undefined,
    channel: undefined,
    awaited: false,
    joined: false,
    skippedAt: undefined,
    returned: undefined,
    acked: undefined,
    renewedAt,
    onAck: undefined,
  };
}
