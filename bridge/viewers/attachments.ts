// Owns when an attachment starts, starts over and ends: attach, detach, a lost position, a finished
// terminal. attach-json.ts and attach-raw.ts bring a viewer to the live stream, attachment-records.ts
// holds what is attached.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_ATTACHED } from "../../protocol/limits.ts";
import type { Join, Subscription } from "../../protocol/link.ts";
import type { OpenChannel } from "../channels/channel-table.ts";
import type { RenditionName } from "../channels/rendition.ts";
import { isText } from "../channels/rendition.ts";
import { INTERNAL_ERROR } from "../faults.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import { JsonAttacher } from "./attach-json.ts";
import { RawAttacher } from "./attach-raw.ts";
import { sendKeyOnJoin } from "./channel-keys.ts";
import { AttachmentRecords } from "./attachment-records.ts";
import type { AttachCallbacks, PendingAttach } from "./pending-attach.ts";
import type { EndedAttachment, PeerRoom, Peer, PeerTable } from "./peer-table.ts";
import { ReplayFetches } from "./replay-fetches.ts";
import type { SnapshotSource } from "./snapshot-queue.ts";
import { ReattachReconciler } from "./reattach-reconciler.ts";
import { sendToPeer } from "../channels/peer-messages.ts";
import type { TerminalSource, MessagesByRendition } from "./viewer-ports.ts";

/** Minimum time between unrequested new starts of one viewer. */
const RENEW_EVERY_MS = 250;

/** A client that resumes after the bridge's return reports its offset sooner. */
const RETURN_MS = 2_000;

/** The position that a client reports. */
export interface ResumePoint {
  readonly epoch: number;
  readonly offset: number;
}

export interface AttachmentEvents {
  /** Fires when a viewer joins the live stream. */
  onJoined(peer: Peer, terminal: PoolTerminal): void;
  /** Fires when an attachment ends without a detach. */
  onGone(peer: Peer, terminal: PoolTerminal): void;
  /** Fires when an attach fails by an internal error. */
  onFault(terminal: PoolTerminal, error: unknown): void;
}

export class Attachments {
  readonly #peers: PeerTable;
  readonly #messages: MessagesByRendition;
  readonly #events: AttachmentEvents;
  readonly #json: JsonAttacher;
  readonly #raw: RawAttacher;
  readonly #reattach: ReattachReconciler;
  readonly #records: AttachmentRecords;

  constructor(
    pool: TerminalSource,
    peers: PeerTable,
    screens: SnapshotSource,
    messages: MessagesByRendition,
    events: AttachmentEvents,
  ) {
    this.#peers = peers;
    this.#records = new AttachmentRecords(peers);
    this.#messages = messages;
    this.#events = events;
    const callbacks: AttachCallbacks = {
      isCurrent: (pendingAttach) => this.#records.isCurrent(pendingAttach),
      join: (pendingAttach, open, offset) => this.#join(pendingAttach, open, offset),
      renew: ({ peer, terminal }) => this.startOver(peer, terminal),
      finish: (pendingAttach) => this.#finish(pendingAttach),
      fail: (pendingAttach, error) => this.#fail(pendingAttach, error),
    };
    const fetches = new ReplayFetches(pool);
    this.#json = new JsonAttacher(fetches, messages, callbacks);
    this.#raw = new RawAttacher(fetches, screens, messages("raw"), callbacks);
    this.#reattach = new ReattachReconciler(fetches, messages, (peer, terminal) =>
      this.startOver(peer, terminal),
    );
  }

  /** Whether a viewer that resumes after the bridge's return stays joined; sends its position. */
  tryKeepPosition(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    { epoch, offset }: ResumePoint,
  ): boolean {
    const isSame = (findRendition(peer, terminal) ?? rendition) === rendition;
    return (
      isSame && epoch === terminal.epoch && this.#reattach.tryKeepPosition(peer, terminal, offset)
    );
  }

  /** Starts an attach; returns false if the peer has too many. */
  attach(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    resumePoint?: ResumePoint,
  ): boolean {
    if (!peer.attached.has(terminal.id) && peer.attached.size >= MAX_ATTACHED) {
      const error = `Attached to ${MAX_ATTACHED} terminals already; detach from some first`;
      sendToPeer(peer, this.#messages(rendition).error("too_many", error, terminal.id));
      return false;
    }
    const requestedOffset = resumePoint?.epoch === terminal.epoch ? resumePoint.offset : undefined;
    this.#start(
      { ...this.#records.create(peer, terminal, rendition, 0), isRequested: true },
      requestedOffset,
    );
    return true;
  }

  /** Starts over after a lost position, at a limited rate. */
  startOver(peer: Peer, terminal: PoolTerminal): void {
    this.#restartLater(peer, terminal, undefined);
  }

  /** Restarts a skipped peer that has caught up; a raw viewer continues where it was skipped. */
  onDrained(peer: Peer, terminal: PoolTerminal): void {
    const { skippedAt, rendition } = peer.attached.get(terminal.id) ?? {};
    this.#restartLater(
      peer,
      terminal,
      rendition !== undefined && !isText(rendition) ? skippedAt : undefined,
    );
  }

  /** Waits for a viewer to attach again with its position; starts over if it does not. */
  awaitReattach(peer: Peer, terminal: PoolTerminal, rendition: RenditionName, owed = 0): void {
    const pendingAttach = this.#records.create(peer, terminal, rendition, 0);
    const { attachment } = pendingAttach;
    if (owed > 0) attachment.returnNotice = { at: performance.now(), owed };
    attachment.isAwaitingPosition = true;
    setTimeout(() => {
      if (!this.#records.isCurrent(pendingAttach)) return;
      // Its answer may still come, with a position from before this start.
      const { returnNotice } = attachment;
      if (returnNotice !== undefined)
        attachment.returnNotice = { ...returnNotice, at: performance.now() };
      this.#start(pendingAttach, undefined);
    }, RETURN_MS).unref();
  }

  /** Handles a peer that the room skipped at this offset; it may lack the end. */
  onSkipped(peer: Peer, terminal: PoolTerminal, sent: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment !== undefined) attachment.skippedAt = sent;
    else {
      const ended = peer.ended.get(terminal.id);
      if (ended !== undefined) this.#startFrom(peer, terminal, ended.rendition, sent);
    }
  }

  detach(peer: Peer, terminal: PoolTerminal): void {
    this.#records.remove(peer, terminal);
    this.closeIfAlone(peer.home, terminal);
  }

  /** Ends the attachments of a channel that has sent the exit. */
  onFinished(home: PeerRoom, { number, terminal }: OpenChannel): void {
    for (const peer of this.#peers.listAttachedTo(terminal.id)) {
      const attachment = peer.attached.get(terminal.id);
      // Viewers that have not joined get the end by their replay.
      if (peer.home !== home || attachment?.channel !== number || !attachment.isJoined) continue;
      const { skippedAt, returnNotice, rendition } = attachment;
      // The channel is gone, so no `drained` will come: continues where it was skipped.
      const ended = { channel: number, returnNotice, rendition };
      if (skippedAt === undefined) this.#end(peer, terminal, ended);
      else this.#startFrom(peer, terminal, rendition, skippedAt);
    }
  }

  /** Restarts all attachments of a broken channel; if `isKept`, each from its own position. */
  restart(home: PeerRoom, terminal: PoolTerminal, rendition: RenditionName, isKept: boolean): void {
    for (const peer of this.#peers.listAttachedTo(terminal.id)) {
      if (peer.home !== home || findRendition(peer, terminal) !== rendition) continue;
      if (isKept) this.awaitReattach(peer, terminal, rendition);
      else this.startOver(peer, terminal);
    }
  }

  /** Takes over a subscription of the room, from before a disconnect or from another bridge. */
  adopt(
    peer: Peer,
    subscription: Subscription,
    terminal: PoolTerminal,
    rendition: RenditionName,
    owed: number,
  ): void {
    this.#records.adopt(peer, subscription, terminal, rendition, owed);
    if (subscription.skipped) this.awaitReattach(peer, terminal, rendition, owed);
  }

  /** Ends a subscription in the room that this peer may not have. */
  refuse(peer: Peer, subscription: Subscription): void {
    this.#records.refuse(peer, subscription);
  }

  onAck(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment === undefined) return;
    attachment.acked = Math.max(attachment.acked ?? 0, offset);
    attachment.onAck?.();
  }

  /** Closes channels of a terminal without attachments. */
  closeIfAlone(home: PeerRoom, terminal: PoolTerminal): void {
    const attached = this.#peers.listAttachedTo(terminal.id).filter((peer) => peer.home === home);
    for (const open of home.channels.listForTerminal(terminal)) {
      if (attached.every((peer) => findRendition(peer, terminal) !== open.rendition)) {
        home.channels.close(open);
      }
    }
  }

  #restartLater(peer: Peer, terminal: PoolTerminal, requestedOffset: number | undefined): void {
    const { renewedAt = 0, rendition = peer.rendition } = peer.attached.get(terminal.id) ?? {};
    const now = performance.now();
    const wait = renewedAt === 0 ? 0 : renewedAt + RENEW_EVERY_MS - now;
    // A resumed attach does not count as a new start yet.
    const renewsAt = requestedOffset === undefined ? now + Math.max(0, wait) : renewedAt;
    const pendingAttach = this.#records.create(peer, terminal, rendition, renewsAt);
    if (wait <= 0) return this.#start(pendingAttach, requestedOffset);
    setTimeout(() => {
      if (this.#records.isCurrent(pendingAttach)) this.#start(pendingAttach, requestedOffset);
    }, wait).unref();
    return undefined;
  }

  #startFrom(
    peer: Peer,
    terminal: PoolTerminal,
    rendition: RenditionName,
    requestedOffset: number | undefined,
  ): void {
    this.#start(this.#records.create(peer, terminal, rendition, 0), requestedOffset);
  }

  #start(pendingAttach: PendingAttach, requestedOffset: number | undefined): void {
    pendingAttach.attachment.isAwaitingPosition = false;
    const attacher = isText(pendingAttach.attachment.rendition) ? this.#json : this.#raw;
    attacher
      .start(pendingAttach, requestedOffset)
      .catch((error: unknown) => this.#fail(pendingAttach, error));
  }

  #join({ peer, terminal, attachment }: PendingAttach, open: OpenChannel, offset: number): void {
    const { sentSize } = attachment;
    const { id, cols, rows } = terminal;
    if (sentSize && (sentSize.cols !== cols || sentSize.rows !== rows)) {
      sendToPeer(peer, this.#messages(attachment.rendition).resized(id, cols, rows));
    }
    sendKeyOnJoin(peer, attachment, open);
    const join: Join = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.join, open.number, toPayload(join));
    attachment.channel = open.number;
    attachment.isJoined = true;
    // A raw viewer acks: its input may start a flood of output before its first ack arrives.
    if (!isText(attachment.rendition)) attachment.acked = Math.max(attachment.acked ?? 0, offset);
    this.#events.onJoined(peer, terminal);
  }

  #finish({ peer, terminal, attachment }: PendingAttach): void {
    const { life } = terminal;
    const { rendition, channel = 0 } = attachment;
    if (life.state === "finished")
      sendToPeer(peer, this.#messages(rendition).exit(terminal.id, life.exit));
    this.#end(peer, terminal, { channel, returnNotice: attachment.returnNotice, rendition });
  }

  #end(peer: Peer, terminal: PoolTerminal, ended: EndedAttachment): void {
    this.#records.end(peer, terminal, ended);
    this.#events.onGone(peer, terminal);
  }

  #fail(pendingAttach: PendingAttach, error: unknown): void {
    const isFault = !(error instanceof Unavailable);
    if (isFault) this.#events.onFault(pendingAttach.terminal, error);
    if (!this.#records.isCurrent(pendingAttach)) return;
    const { peer, terminal } = pendingAttach;
    peer.attached.delete(terminal.id);
    this.closeIfAlone(peer.home, terminal);
    const messages = this.#messages(pendingAttach.attachment.rendition);
    const message = isFault
      ? messages.error("internal", INTERNAL_ERROR, terminal.id)
      : messages.error("not_found", "Session not found", terminal.id);
    sendToPeer(peer, message);
    this.#events.onGone(peer, terminal);
  }
}

function findRendition({ attached }: Peer, { id }: PoolTerminal): RenditionName | undefined {
  return attached.get(id)?.rendition;
}
