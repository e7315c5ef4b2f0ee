// Owns the answer to a viewer that attaches because the bridge is back, while the room has it joined
// from before, or after the bridge gave it a new start: it stays where it is, and is told up to where
// it was sent. The place that it names is older than what is on its way to it, so anything sent from
// there on would come twice.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { RenditionName } from "../channels/rendition.ts";
import { isText } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { sendBytes } from "./attach-raw.ts";
import type { Attachment, Peer } from "./peers.ts";
import type { ReplayFetches } from "./replay-fetches.ts";
import { tell } from "../channels/telling.ts";
import type { WordsBy } from "./words.ts";

/** Told of the bridge's return, a viewer answers at once. Later it has reasons of its own. */
const ANSWERS_WITHIN_MS = 10_000;

/** What it was sent on its socket, whole and in order: up to here, by this channel. */
interface Standing {
  readonly rendition: RenditionName;
  readonly end: number;
  readonly channel: number;
}

export class Staying {
  readonly #fetches: ReplayFetches;
  readonly #words: WordsBy;
  readonly #renew: (peer: Peer, terminal: PoolTerminal) => void;

  /** `renew`: what the viewer lacks is no longer retained. */
  constructor(
    fetches: ReplayFetches,
    words: WordsBy,
    renew: (peer: Peer, terminal: PoolTerminal) => void,
  ) {
    this.#fetches = fetches;
    this.#words = words;
    this.#renew = renew;
  }

  /**
   * False when it does not answer our return, or is not there: then it has to be brought there. A raw
   * viewer drops what it has: whatever its reason, it may stay.
   */
  answer(peer: Peer, terminal: PoolTerminal, offset: number): boolean {
    const found = peer.attached.get(terminal.id) ?? peer.ended.get(terminal.id);
    if (found === undefined || (!answers(found) && isText(found.rendition))) return false;
    if (isOnItsWay(peer, terminal)) return true;
    const standing = standingOf(peer, terminal);
    if (standing === undefined || offset > standing.end) return false;
    if (isText(standing.rendition) || offset === standing.end) this.#say(peer, terminal, standing);
    else void this.#refill(peer, terminal, offset);
    return true;
  }

  /**
   * A raw viewer drops what it has, so it may have found a hole: it gets all from its place on once
   * more, and then where it stands.
   */
  async #refill(peer: Peer, terminal: PoolTerminal, from: number): Promise<void> {
    const refilled = this.#fetches.fetch({
      peer,
      terminal,
      from,
      most: REPLAY_BYTES,
      isPaced: true,
      isWanted: () => standingOf(peer, terminal) !== undefined,
      accept: ({ offset, bytes }) => {
        const standing = standingOf(peer, terminal);
        // It left, or is being brought to a new place.
        if (standing === undefined) return;
        if (offset > from) return this.#renew(peer, terminal);
        // The host answers in order: what it fetched reaches at least as far as what it streamed.
        sendBytes(peer, standing.channel, from, bytes.subarray(0, standing.end - from));
        this.#say(peer, terminal, standing);
      },
    });
    // The pty host is gone, and so is the terminal: everybody is told that.
    await refilled.catch(() => {});
  }

  #say(peer: Peer, terminal: PoolTerminal, { end, channel, rendition }: Standing): void {
    const { id, epoch, cols, rows, life } = terminal;
    const place = { id, epoch, cols, rows, offset: end, next: end };
    const words = this.#words(rendition);
    tell(peer, words.attached(isText(rendition) ? place : { ...place, channel }));
    if (life.state === "finished" && peer.ended.has(id)) tell(peer, words.exit(id, life.exit));
  }
}

/** Whether it may be an answer to our return; then one less is owed. */
function answers(viewer: Pick<Attachment, "returned">): boolean {
  const { returned } = viewer;
  if (returned === undefined) return false;
  const { at, owed } = returned;
  viewer.returned = owed > 1 ? { at, owed: owed - 1 } : undefined;
  return performance.now() - at < ANSWERS_WITHIN_MS;
}

/** It is being sent a start, and the live stream behind that. */
function isOnItsWay(peer: Peer, { id }: PoolTerminal): boolean {
  const attachment = peer.attached.get(id);
  return attachment !== undefined && !attachment.joined && !attachment.awaited;
}

function standingOf(peer: Peer, terminal: PoolTerminal): Standing | undefined {
  const { id, life } = terminal;
  const attachment = peer.attached.get(id);
  if (attachment === undefined) {
    const ended = peer.ended.get(id);
    if (ended === undefined || life.state !== "finished") return undefined;
    return { end: life.end, ...ended };
  }
  const { rendition } = attachment;
  const open = peer.home.channels.find(terminal, rendition);
  const isSent = attachment.joined && attachment.skippedAt === undefined;
  if (!isSent || open === undefined || open.number !== attachment.channel) return undefined;
  return { end: open.channel.sent, channel: open.number, rendition };
}
