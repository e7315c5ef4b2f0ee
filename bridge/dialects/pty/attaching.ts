// Owns attaching: fetch what is retained, send the replay, and join the live stream exactly behind
// it. Until the answer comes anything may have happened, so everything is looked at again then.

import { FrameType } from "../../../protocol/frame-types.ts";
import { toPayload } from "../../../protocol/json.ts";
import {
  HISTORY_BYTES,
  HISTORY_NEWLINE_REACH,
  MAX_ATTACHED,
  REPLAY_BYTES,
} from "../../../protocol/limits.ts";
import type { Join, Leave, Subscription } from "../../../protocol/link.ts";
import { toBytes } from "../../../protocol/text.ts";
import { unfinishedTail } from "../../../protocol/utf8.ts";
import type { ChannelTable, LinkSender, OpenChannel } from "../../channels/table.ts";
import { encodePieces } from "../../channels/encoding.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Peer, PeerTable } from "./peers.ts";
import type { Replay, Retained } from "./replay.ts";
import { planReplay } from "./replay.ts";
import { attachedWords, errorWords, exitWords, outputWording } from "./words.ts";

/** What the client says it has. */
export interface Place {
  readonly epoch: number;
  readonly offset: number;
}

export class Attaching {
  readonly #pool: TerminalPool;
  readonly #channels: ChannelTable;
  readonly #peers: PeerTable;
  readonly #link: LinkSender;
  #lastAttach = 0;

  constructor(pool: TerminalPool, channels: ChannelTable, peers: PeerTable, link: LinkSender) {
    this.#pool = pool;
    this.#channels = channels;
    this.#peers = peers;
    this.#link = link;
  }

  async attach(peer: Peer, terminal: PoolTerminal, place?: Place): Promise<void> {
    if (!peer.attached.has(terminal.id) && peer.attached.size >= MAX_ATTACHED) {
      const error = `Attached to ${MAX_ATTACHED} terminals already; detach from some first`;
      return this.#tell(peer, errorWords("too_many", error, terminal.id));
    }
    this.#leave(peer, terminal.id);
    const attach = ++this.#lastAttach;
    peer.attached.set(terminal.id, { attach, channel: undefined });
    const asked = place?.epoch === terminal.epoch ? place.offset : undefined;
    try {
      await this.#fetchAndJoin(peer, terminal, attach, asked);
    } catch {
      if (!this.#isCurrent(peer, terminal, attach)) return;
      peer.attached.delete(terminal.id);
      this.closeIfAlone(terminal.id);
      this.#tell(peer, errorWords("not_found", "Session not found", terminal.id));
    }
  }

  detach(peer: Peer, id: string): void {
    this.#leave(peer, id);
    peer.attached.delete(id);
    this.closeIfAlone(id);
  }

  /** A peer is gone: the room has ended its subscriptions already. */
  left(peer: Peer): void {
    for (const id of peer.attached.keys()) this.closeIfAlone(id);
  }

  /** The exit has been sent to everybody on this channel: nothing more will come. */
  finished({ number, terminal }: OpenChannel): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) {
      if (peer.attached.get(terminal.id)?.channel === number) peer.attached.delete(terminal.id);
    }
  }

  /** Everybody on this terminal lost their place: a new start for each. */
  restart(terminal: PoolTerminal): void {
    for (const peer of this.#peers.attachedTo(terminal.id)) void this.attach(peer, terminal);
  }

  /** The room still has this subscription, from before the link was cut or another bridge's time. */
  adopt(peer: Peer, { channel, attach, skipped }: Subscription, terminal: PoolTerminal): void {
    this.#lastAttach = Math.max(this.#lastAttach, attach);
    peer.attached.set(terminal.id, { attach, channel });
    if (skipped) void this.attach(peer, terminal);
  }

  /** Nobody is attached any more: the channel has no purpose. */
  closeIfAlone(id: string): void {
    const open = this.#channels.find(id);
    if (open === undefined || this.#peers.attachedTo(id).length > 0) return;
    this.#channels.close(open);
  }

  /** Fetches what the client lacks, or a history when it asked for none or for too much. */
  async #fetchAndJoin(
    peer: Peer,
    terminal: PoolTerminal,
    attach: number,
    asked: number | undefined,
  ): Promise<void> {
    const most = asked === undefined ? HISTORY_BYTES + HISTORY_NEWLINE_REACH : REPLAY_BYTES;
    const outcome = await this.#pool.fetch(terminal, asked ?? 0, most, (retained) =>
      this.#isCurrent(peer, terminal, attach)
        ? this.#replayAndJoin(peer, terminal, attach, asked, retained)
        : "late",
    );
    if (outcome === "unavailable") await this.#fetchAndJoin(peer, terminal, attach, undefined);
  }

  #replayAndJoin(
    peer: Peer,
    terminal: PoolTerminal,
    attach: number,
    asked: number | undefined,
    retained: Retained,
  ): "joined" | "over" | "unavailable" {
    const end = retained.offset + retained.bytes.length;
    const { life } = terminal;
    const exit = life.state === "finished" ? life.exit : undefined;
    const living = this.#channels.find(terminal.id);
    const open = living ?? (exit === undefined ? this.#open(terminal, retained) : undefined);
    // The host answers in order: what it fetched reaches at least as far as what it streamed.
    const joinAt = open?.channel.sent ?? end;
    const replay = planReplay(retained, joinAt, asked);
    if (replay.kind === "history" && asked !== undefined) return "unavailable";
    this.#replay(peer, terminal, replay, joinAt);
    if (open !== undefined) {
      const join: Join = { peer: peer.number, attach, offset: joinAt };
      this.#link.send(FrameType.join, open.number, toPayload(join));
      peer.attached.set(terminal.id, { attach, channel: open.number });
      return "joined";
    }
    peer.attached.delete(terminal.id);
    if (exit !== undefined) this.#tell(peer, exitWords(terminal.id, exit));
    return "over";
  }

  #open(terminal: PoolTerminal, retained: Retained): OpenChannel {
    const at = retained.offset + retained.bytes.length - unfinishedTail(retained.bytes);
    return this.#channels.open(terminal, at);
  }

  #replay(peer: Peer, terminal: PoolTerminal, replay: Replay, joinAt: number): void {
    const { id, epoch, cols, rows } = terminal;
    const place = { id, epoch, cols, rows };
    if (replay.kind === "exact") {
      const { offset } = replay;
      this.#tell(peer, attachedWords({ ...place, offset, next: offset }));
      return this.#sendPieces(peer, id, replay.bytes, offset);
    }
    const history = Buffer.from(replay.bytes).toString("utf8");
    const whole = attachedWords({ ...place, history, offset: replay.offset, next: joinAt });
    if (this.#fits(whole)) return this.#tell(peer, whole);
    // Text that quotes badly does not fit one frame: an empty start, and all of it behind.
    const { offset } = replay;
    this.#tell(peer, attachedWords({ ...place, history: "", offset, next: offset }));
    return this.#sendPieces(peer, id, replay.bytes, offset);
  }

  #sendPieces(peer: Peer, id: string, bytes: Uint8Array, offset: number): void {
    const wording = outputWording(id);
    for (let at = 0; at < bytes.length;) {
      const rough = bytes.subarray(at, at + HISTORY_BYTES);
      const last = at + rough.length === bytes.length;
      const slice = last ? rough : rough.subarray(0, rough.length - unfinishedTail(rough));
      for (const { body } of encodePieces(slice, offset + at, wording)) {
        this.#link.send(FrameType.peerSend, peer.number, body);
      }
      at += slice.length;
    }
  }

  #fits(message: string): boolean {
    return Buffer.byteLength(message) <= 2 * HISTORY_BYTES;
  }

  #tell(peer: Peer, message: string): void {
    this.#link.send(FrameType.peerSend, peer.number, toBytes(message));
  }

  #leave(peer: Peer, id: string): void {
    const channel = peer.attached.get(id)?.channel;
    if (channel === undefined) return;
    const leave: Leave = { peer: peer.number };
    this.#link.send(FrameType.leave, channel, toPayload(leave));
  }

  #isCurrent(peer: Peer, terminal: PoolTerminal, attach: number): boolean {
    return (
      this.#peers.get(peer.number) === peer && peer.attached.get(terminal.id)?.attach === attach
    );
  }
}
