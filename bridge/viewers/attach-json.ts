// Owns how a JSON viewer gets to the live stream: the exact gap or a history, followed without
// overlap by the room's output. The pty host answers later, so every condition is checked again
// then. Also owns what an attaching viewer is sent before the live stream: the exact gap if it is
// retained, else the end of the history.

import { HISTORY_BYTES, HISTORY_NEWLINE_REACH, REPLAY_BYTES } from "../../protocol/limits.ts";
import { countUnfinishedTail, findTailStart } from "../../protocol/text.ts";
import type { OpenChannel } from "../channels/channel-table.ts";
import { sendBodyToPeer, sendToPeer } from "../channels/peer-messages.ts";
import type { FormatOutput, RenditionName } from "../channels/rendition.ts";
import { encodePieces } from "../channels/rendition.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { PendingAttach, AttachCallbacks } from "./pending-attach.ts";
import type { PeerRoom, Peer } from "./peer-table.ts";
import type { ReplayFetches } from "./replay-fetches.ts";
import type { MessagesByRendition } from "./viewer-ports.ts";

export class JsonAttacher {
  readonly #fetches: ReplayFetches;
  readonly #messages: MessagesByRendition;
  readonly #callbacks: AttachCallbacks;

  constructor(fetches: ReplayFetches, messages: MessagesByRendition, callbacks: AttachCallbacks) {
    this.#fetches = fetches;
    this.#messages = messages;
    this.#callbacks = callbacks;
  }

  /** Fetches what the client lacks, or a history if the gap is not available. */
  async start(arrival: PendingAttach, requestedOffset: number | undefined): Promise<void> {
    const maxBytes =
      requestedOffset === undefined ? HISTORY_BYTES + HISTORY_NEWLINE_REACH : REPLAY_BYTES;
    const { peer, terminal, isRequested: isPaced } = arrival;
    const isWanted = () => this.#callbacks.isCurrent(arrival);
    const outcome = await this.#fetches.fetch({
      peer,
      terminal,
      from: requestedOffset ?? 0,
      maxBytes,
      isPaced,
      isWanted,
      accept: (retained, sent) =>
        isWanted() ? this.#replayAndJoin(arrival, requestedOffset, retained, sent) : sent(0),
    });
    if (outcome === "unavailable") await this.start(arrival, undefined);
  }

  #replayAndJoin(
    arrival: PendingAttach,
    requestedOffset: number | undefined,
    retained: RetainedBytes,
    sent: (bytes: number) => void,
  ): "done" | "unavailable" {
    const { peer, terminal, attachment } = arrival;
    const { rendition } = attachment;
    const isFinished = terminal.life.state === "finished";
    const existing = peer.home.channels.find(terminal, rendition);
    const open =
      existing ?? (isFinished ? undefined : openAt(peer.home, terminal, rendition, retained));
    // The host answers in order: the fetched bytes reach at least as far as those streamed.
    const joinAt = open?.channel.sent ?? retained.offset + retained.bytes.length;
    const replay = planReplay(retained, joinAt, requestedOffset);
    if (replay.kind === "history" && requestedOffset !== undefined) {
      sent(0);
      return "unavailable";
    }
    sent(this.#sendReplay(arrival, replay, joinAt));
    if (open === undefined) this.#callbacks.finish(arrival);
    else this.#callbacks.join(arrival, open, joinAt);
    return "done";
  }

  /** Sends the replay; returns the bytes sent: a control character takes six when quoted. */
  #sendReplay(
    { peer, terminal, attachment }: PendingAttach,
    replay: Replay,
    joinAt: number,
  ): number {
    const messages = this.#messages(attachment.rendition);
    const { id, epoch, cols, rows } = terminal;
    const base = { id, epoch, cols, rows };
    const { offset, bytes } = replay;
    if (replay.kind === "exact") {
      sendToPeer(peer, messages.attached({ ...base, offset, next: offset }));
      return sendPieces(peer, messages.output(id), bytes, offset);
    }
    const history = Buffer.from(bytes).toString("utf8");
    const whole = messages.attached({ ...base, history, offset, next: joinAt });
    const wholeBytes = Buffer.byteLength(whole ?? "");
    if (wholeBytes <= 2 * HISTORY_BYTES) {
      sendToPeer(peer, whole);
      return wholeBytes;
    }
    // Text with many quotes exceeds a frame: sends an empty history, then all of it as output.
    sendToPeer(peer, messages.attached({ ...base, history: "", offset, next: offset }));
    return sendPieces(peer, messages.output(id), bytes, offset);
  }
}

/** Sends output in pieces; returns their size as text. */
function sendPieces(peer: Peer, wording: FormatOutput, bytes: Uint8Array, offset: number): number {
  let sent = 0;
  for (let at = 0; at < bytes.length;) {
    const rough = bytes.subarray(at, at + HISTORY_BYTES);
    const last = at + rough.length === bytes.length;
    const slice = last ? rough : rough.subarray(0, rough.length - countUnfinishedTail(rough));
    for (const { body } of encodePieces(slice, offset + at, wording)) {
      sendBodyToPeer(peer, body);
      sent += body.length;
    }
    at += slice.length;
  }
  return sent;
}

function openAt(
  home: PeerRoom,
  terminal: PoolTerminal,
  rendition: RenditionName,
  { offset, bytes }: RetainedBytes,
): OpenChannel {
  return home.channels.open(
    terminal,
    rendition,
    offset + bytes.length - countUnfinishedTail(bytes),
  );
}

type Replay =
  /** Everything from the requested offset on. */
  | { readonly kind: "exact"; readonly offset: number; readonly bytes: Uint8Array }
  /** A new start. */
  | { readonly kind: "history"; readonly offset: number; readonly bytes: Uint8Array };

/** Plans the replay up to `joinAt`, where live output continues; `requestedOffset` is the client's offset. */
function planReplay(
  retained: RetainedBytes,
  joinAt: number,
  requestedOffset: number | undefined,
): Replay {
  const upTo = retained.bytes.subarray(0, joinAt - retained.offset);
  if (
    requestedOffset !== undefined &&
    requestedOffset >= retained.offset &&
    requestedOffset <= joinAt
  ) {
    return {
      kind: "exact",
      offset: requestedOffset,
      bytes: upTo.subarray(requestedOffset - retained.offset),
    };
  }
  const start = findTailStart(upTo, HISTORY_BYTES);
  return { kind: "history", offset: retained.offset + start, bytes: upTo.subarray(start) };
}
