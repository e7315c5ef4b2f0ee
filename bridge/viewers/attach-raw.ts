// Owns how a raw viewer gets to the live stream: from its offset if that is retained, else from a
// snapshot; then the bytes in between, one window at a time as it renders them; then the room's
// output. A snapshot may be ahead of the room: the viewer drops duplicates.

import { FRAME_SOFT_BYTES, KiB, REPLAY_BYTES, UPLINK_WINDOW } from "../../protocol/limits.ts";
import { encodeOutputFrame } from "../../protocol/output.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { attachKey } from "./channel-keys.ts";
import type { PendingAttach, AttachCallbacks } from "./pending-attach.ts";
import type { PeerRoom, Peer } from "./peer-table.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { ReplayFetches } from "./replay-fetches.ts";
import type { Snapshot, SnapshotSource } from "./snapshot-queue.ts";
import { SnapshotQueue } from "./snapshot-queue.ts";
import { sendOutputToPeer, sendToPeer, sendToPeers } from "../channels/peer-messages.ts";
import type { ViewerMessages } from "./viewer-ports.ts";

/** Unrendered bytes of a replay before the next window is read. */
const WINDOW = UPLINK_WINDOW;

/** Upper limit of a snapshot's length (V4). */
const SNAPSHOT_BYTES = 100 * KiB;

/** An offset beyond every stream: a fetch from there returns the end of the stream. */
const END_OF_STREAM = Number.MAX_SAFE_INTEGER;

export class RawAttacher {
  readonly #fetches: ReplayFetches;
  readonly #messages: ViewerMessages;
  readonly #callbacks: AttachCallbacks;
  readonly #snapshots: SnapshotQueue<Waiter>;

  constructor(
    fetches: ReplayFetches,
    screens: SnapshotSource,
    messages: ViewerMessages,
    callbacks: AttachCallbacks,
  ) {
    this.#fetches = fetches;
    this.#messages = messages;
    this.#callbacks = callbacks;
    this.#snapshots = new SnapshotQueue<Waiter>(
      screens,
      (_terminal, snapshot, to) => this.#deliver(snapshot, to),
      (to, error) => {
        for (const { arrival, delivered } of to) {
          delivered(0);
          callbacks.fail(arrival, error);
        }
      },
    );
  }

  async start(arrival: PendingAttach, requestedOffset: number | undefined): Promise<void> {
    await this.#findChannel(arrival);
    if (!this.#callbacks.isCurrent(arrival)) return;
    if (requestedOffset === undefined) await this.#snapshot(arrival);
    else await this.#replay(arrival, requestedOffset, false);
  }

  /** Resolves when the snapshot is sent; a newer attach waits for that. */
  async #snapshot(arrival: PendingAttach): Promise<void> {
    const { peer, terminal, isRequested: isPaced } = arrival;
    const isWanted = () => this.#callbacks.isCurrent(arrival);
    await this.#fetches.enqueue({ peer, terminal, isWanted, isPaced }, SNAPSHOT_BYTES, (hold) => {
      return new Promise<void>((resolve) => {
        const delivered = (bytes: number) => {
          hold(bytes);
          resolve();
        };
        this.#snapshots.request(terminal, { arrival, delivered });
      });
    });
  }

  /** Finds or opens the channel, and stores its number; a finished terminal gets a spare number. */
  async #findChannel(arrival: PendingAttach): Promise<void> {
    const { peer, terminal, attachment } = arrival;
    const { channels } = peer.home;
    const { rendition } = attachment;
    const open = channels.find(terminal, rendition);
    if (open !== undefined) attachment.channel = open.number;
    else if (terminal.life.state === "finished") attachment.channel = channels.nextNumber();
    else {
      const isWanted = () => this.#callbacks.isCurrent(arrival);
      const accept = ({ offset }: RetainedBytes) => {
        const found =
          channels.find(terminal, rendition) ?? channels.open(terminal, rendition, offset);
        attachment.channel = found.number;
      };
      const isPaced = false;
      const end = { peer, terminal, from: END_OF_STREAM, maxBytes: 0 };
      await this.#fetches.fetch({ ...end, isPaced, isWanted, accept });
    }
  }

  #deliver(snapshot: Snapshot, to: readonly Waiter[]): void {
    const wanted = to.filter(({ arrival }) => this.#callbacks.isCurrent(arrival));
    const current = wanted.map(({ arrival }) => arrival);
    for (const group of groupByMessage(current)) {
      const [first] = group;
      if (first === undefined) continue;
      const { peer, terminal } = first;
      const peers = group.map((arrival) => arrival.peer);
      const attached = toSnapshotAttached(terminal, getChannel(first), snapshot);
      const open = peer.home.channels.byNumber(attached.channel);
      const { key } = attachKey(peer, first.attachment, open);
      for (const { attachment, peer: other } of group) attachKey(other, attachment, open);
      sendToPeers(
        peer.home,
        peers,
        this.#messages.attached(key === undefined ? attached : { ...attached, key }),
      );
    }
    for (const waiter of to) waiter.delivered(wanted.includes(waiter) ? snapshot.data.length : 0);
    for (const arrival of current) {
      const { cols, rows } = snapshot;
      arrival.attachment.sentSize = { cols, rows };
      this.#replay(arrival, snapshot.offset, true).catch((error: unknown) =>
        this.#callbacks.fail(arrival, error),
      );
    }
  }

  /** Sends bytes from `from` on and joins; `isAttachedSent`: the viewer already got `attached`. */
  async #replay(arrival: PendingAttach, from: number, isAttachedSent: boolean): Promise<void> {
    for (let next = from, isStarted = isAttachedSent; ;) {
      const { peer, terminal } = arrival;
      const isWanted = () => this.#callbacks.isCurrent(arrival);
      const step = await this.#fetches.fetch({
        peer,
        terminal,
        from: next,
        maxBytes: REPLAY_BYTES,
        to: next + WINDOW,
        // Following a program that prints continuously is not the viewer's choice, so it is not
        // paced.
        isPaced: arrival.isRequested && next - from < REPLAY_BYTES,
        isWanted,
        accept: (retained, sent): Step => {
          if (isWanted()) return this.#send(arrival, next, isStarted, retained);
          sent(0);
          return { is: "over" };
        },
      });
      if (step === undefined || step.is === "over") return;
      if (step.is === "lost") return this.#callbacks.renew(arrival);
      isStarted = true;
      next = step.next;
      await waitUntilRendered(arrival, next - WINDOW / 2);
      if (!this.#callbacks.isCurrent(arrival)) return;
    }
  }

  #send(
    arrival: PendingAttach,
    from: number,
    isAttachedSent: boolean,
    { offset, bytes }: RetainedBytes,
  ): Step {
    const { peer, terminal, attachment } = arrival;
    const open = peer.home.channels.find(terminal, attachment.rendition);
    const joinAt = open?.channel.sent;
    const isAhead = joinAt !== undefined && from >= joinAt && isAttachedSent;
    if (!isAhead && offset !== from) return { is: "lost" };
    if (!isAttachedSent) {
      sendToPeer(
        peer,
        this.#messages.attached({
          ...toExactAttached(terminal, getChannel(arrival), from),
          ...attachKey(peer, attachment, open),
        }),
      );
      attachment.sentSize = { cols: terminal.cols, rows: terminal.rows };
    }
    const to = Math.min(offset + bytes.length, joinAt ?? Infinity);
    if (to > from) sendBytes(peer, getChannel(arrival), from, bytes.subarray(0, to - from));
    if (open !== undefined && open.number === attachment.channel && to >= open.channel.sent) {
      this.#callbacks.join(arrival, open, open.channel.sent);
      return { is: "over" };
    }
    const { life } = terminal;
    if (open === undefined && life.state === "finished" && to >= life.end) {
      this.#callbacks.finish(arrival);
      return { is: "over" };
    }
    // The channel that the viewer knows is gone, and with it the number.
    if (open?.number !== attachment.channel && life.state !== "finished") return { is: "lost" };
    return { is: "more", next: Math.max(from, to) };
  }
}

/** An attach that waits for a snapshot; calls `delivered` with the bytes sent. */
interface Waiter {
  readonly arrival: PendingAttach;
  readonly delivered: (bytes: number) => void;
}

type Step =
  | { readonly is: "more"; readonly next: number }
  /** The attach must start over, from a snapshot. */
  | { readonly is: "lost" }
  | { readonly is: "over" };

/** Resolves when the viewer has rendered everything before `offset`. */
function waitUntilRendered({ attachment }: PendingAttach, offset: number): Promise<void> {
  if ((attachment.acked ?? 0) >= offset) return Promise.resolve();
  return new Promise((resolve) => {
    attachment.onAck = () => {
      if ((attachment.acked ?? 0) < offset) return;
      attachment.onAck = undefined;
      resolve();
    };
  });
}

/** Groups attaches that get the same message: same room and channel. */
function groupByMessage(arrivals: readonly PendingAttach[]): PendingAttach[][] {
  const groups = new Map<PeerRoom, Map<number, PendingAttach[]>>();
  for (const arrival of arrivals) {
    const { home } = arrival.peer;
    const byChannel = groups.get(home) ?? new Map<number, PendingAttach[]>();
    groups.set(home, byChannel);
    const channel = getChannel(arrival);
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), arrival]);
  }
  return [...groups.values()].flatMap((byChannel) => [...byChannel.values()]);
}

function getChannel({ attachment }: PendingAttach): number {
  return attachment.channel ?? 0;
}

export function sendBytes(peer: Peer, channel: number, offset: number, bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += FRAME_SOFT_BYTES) {
    const slice = bytes.subarray(at, at + FRAME_SOFT_BYTES);
    sendOutputToPeer(peer, encodeOutputFrame(channel, offset + at, slice.length, slice));
  }
}

function toExactAttached({ id, epoch, cols, rows }: PoolTerminal, channel: number, offset: number) {
  return { id, epoch, cols, rows, channel, offset, next: offset };
}

function toSnapshotAttached({ id, epoch }: PoolTerminal, channel: number, snapshot: Snapshot) {
  const { offset, cols, rows, data } = snapshot;
  return { id, epoch, cols, rows, channel, offset, next: offset, snapshot: data };
}
