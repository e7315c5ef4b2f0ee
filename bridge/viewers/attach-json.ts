// Owns how a plain client gets to the live stream: the exact gap or a history, followed without
// overlap by the room's output. The pty host answers later, so every condition is checked again
// then.

import { FrameType } from "../../protocol/frame-types.ts";
import { HISTORY_BYTES, HISTORY_NEWLINE_REACH, REPLAY_BYTES } from "../../protocol/limits.ts";
import { unfinishedTail } from "../../protocol/utf8.ts";
import type { Wording } from "../channels/encoding.ts";
import { encodePieces } from "../channels/encoding.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { OpenChannel } from "../channels/table.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Arrival, Gate } from "./attaching.ts";
import type { Home, Peer } from "./peers.ts";
import type { Retained } from "../terminals/host-client.ts";
import type { ReplayFetches } from "./replay-fetches.ts";
import type { Replay } from "./replay.ts";
import { planReplay } from "./replay.ts";
import { tell } from "../channels/telling.ts";
import type { WordsBy } from "./words.ts";

export class JsonAttaching {
  readonly #fetches: ReplayFetches;
  readonly #words: WordsBy;
  readonly #gate: Gate;

  constructor(fetches: ReplayFetches, words: WordsBy, gate: Gate) {
    this.#fetches = fetches;
    this.#words = words;
    this.#gate = gate;
  }

  /** Fetches what the client lacks, or a history if the gap is not available. */
  async start(arrival: Arrival, asked: number | undefined): Promise<void> {
    const most = asked === undefined ? HISTORY_BYTES + HISTORY_NEWLINE_REACH : REPLAY_BYTES;
    const { peer, terminal, isAsked: isPaced } = arrival;
    const isWanted = () => this.#gate.isCurrent(arrival);
    const outcome = await this.#fetches.fetch({
      peer,
      terminal,
      from: asked ?? 0,
      most,
      isPaced,
      isWanted,
      accept: (retained, sent) =>
        isWanted() ? this.#replayAndJoin(arrival, asked, retained, sent) : sent(0),
    });
    if (outcome === "unavailable") await this.start(arrival, undefined);
  }

  #replayAndJoin(
    arrival: Arrival,
    asked: number | undefined,
    retained: Retained,
    sent: (bytes: number) => void,
  ): "done" | "unavailable" {
    const { peer, terminal, attachment } = arrival;
    const { rendition } = attachment;
    const isFinished = terminal.life.state === "finished";
    const living = peer.home.channels.find(terminal, rendition);
    const open =
      living ?? (isFinished ? undefined : openAt(peer.home, terminal, rendition, retained));
    // The host answers in order: the fetched bytes reach at least as far as those streamed.
    const joinAt = open?.channel.sent ?? retained.offset + retained.bytes.length;
    const replay = planReplay(retained, joinAt, asked);
    if (replay.kind === "history" && asked !== undefined) {
      sent(0);
      return "unavailable";
    }
    sent(this.#sendReplay(arrival, replay, joinAt));
    if (open === undefined) this.#gate.over(arrival);
    else this.#gate.join(arrival, open, joinAt);
    return "done";
  }

  /** Sends the replay; returns the bytes sent: a control character takes six when quoted. */
  #sendReplay({ peer, terminal, attachment }: Arrival, replay: Replay, joinAt: number): number {
    const words = this.#words(attachment.rendition);
    const { id, epoch, cols, rows } = terminal;
    const place = { id, epoch, cols, rows };
    const { offset, bytes } = replay;
    if (replay.kind === "exact") {
      tell(peer, words.attached({ ...place, offset, next: offset }));
      return sendPieces(peer, words.output(id), bytes, offset);
    }
    const history = Buffer.from(bytes).toString("utf8");
    const whole = words.attached({ ...place, history, offset, next: joinAt });
    const wholeBytes = Buffer.byteLength(whole ?? "");
    if (wholeBytes <= 2 * HISTORY_BYTES) {
      tell(peer, whole);
      return wholeBytes;
    }
    // Text with many quotes exceeds a frame: sends an empty history, then all of it as output.
    tell(peer, words.attached({ ...place, history: "", offset, next: offset }));
    return sendPieces(peer, words.output(id), bytes, offset);
  }
}

/** Sends output in pieces; returns their size as text. */
function sendPieces(peer: Peer, wording: Wording, bytes: Uint8Array, offset: number): number {
  let sent = 0;
  for (let at = 0; at < bytes.length;) {
    const rough = bytes.subarray(at, at + HISTORY_BYTES);
    const last = at + rough.length === bytes.length;
    const slice = last ? rough : rough.subarray(0, rough.length - unfinishedTail(rough));
    for (const { body } of encodePieces(slice, offset + at, wording)) {
      peer.home.link.send(FrameType.peerSend, peer.number, body);
      sent += body.length;
    }
    at += slice.length;
  }
  return sent;
}

function openAt(
  home: Home,
  terminal: PoolTerminal,
  rendition: RenditionName,
  { offset, bytes }: Retained,
): OpenChannel {
  return home.channels.open(terminal, rendition, offset + bytes.length - unfinishedTail(bytes));
}
