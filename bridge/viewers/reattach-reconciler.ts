// Owns the answer to a viewer that attaches because the bridge is back, while the room still has it
// joined, or after the bridge gave it a new start: the viewer stays, and gets the offset up to
// which it was sent. The offset it reports is older than the bytes in flight, so sending from there
// would duplicate them.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { RenditionName } from "../channels/rendition.ts";
import { isText } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { sendBytes } from "./attach-raw.ts";
import { attachKey } from "./channel-keys.ts";
import type { Attachment, Peer } from "./peer-table.ts";
import type { ReplayFetches } from "./replay-fetches.ts";
import { sendToPeer } from "../channels/peer-messages.ts";
import type { MessagesByRendition } from "./viewer-ports.ts";

/**
 * A viewer answers the notice of the bridge's return quickly. A later attach has another reason.
 */
const ANSWERS_WITHIN_MS = 10_000;

/** The offset up to which its socket was sent everything in order, and the channel. */
interface ViewerPosition {
  readonly rendition: RenditionName;
  readonly end: number;
  readonly channel: number;
}

export class ReattachReconciler {
  readonly #fetches: ReplayFetches;
  readonly #messages: MessagesByRendition;
  readonly #renew: (peer: Peer, terminal: PoolTerminal) => void;

  /** Calls `renew` if the bytes that the viewer lacks are no longer retained. */
  constructor(
    fetches: ReplayFetches,
    messages: MessagesByRendition,
    renew: (peer: Peer, terminal: PoolTerminal) => void,
  ) {
    this.#fetches = fetches;
    this.#messages = messages;
    this.#renew = renew;
  }

  /** Whether the viewer stays joined. A raw viewer always may: it drops duplicates. */
  tryKeepPosition(peer: Peer, terminal: PoolTerminal, offset: number): boolean {
    const found = peer.attached.get(terminal.id) ?? peer.ended.get(terminal.id);
    if (found === undefined || (!takeOwedAnswer(found) && isText(found.rendition))) return false;
    if (isReplaying(peer, terminal)) return true;
    const position = findPosition(peer, terminal);
    if (position === undefined || offset > position.end) return false;
    if (isText(position.rendition) || offset === position.end)
      this.#sendPosition(peer, terminal, position);
    else void this.#refill(peer, terminal, offset);
    return true;
  }

  /** Sends a raw viewer all bytes from its offset again, to fill a hole, then its position. */
  async #refill(peer: Peer, terminal: PoolTerminal, from: number): Promise<void> {
    const refilled = this.#fetches.fetch({
      peer,
      terminal,
      from,
      maxBytes: REPLAY_BYTES,
      isPaced: true,
      isWanted: () => findPosition(peer, terminal) !== undefined,
      accept: ({ offset, bytes }) => {
        const position = findPosition(peer, terminal);
        // The viewer left or is being attached again.
        if (position === undefined) return;
        if (offset > from) return this.#renew(peer, terminal);
        // The host answers in order: the fetched bytes reach at least as far as those streamed.
        sendBytes(peer, position.channel, from, bytes.subarray(0, position.end - from));
        this.#sendPosition(peer, terminal, position);
      },
    });
    // The pty host is gone, and the terminal with it; all viewers get its exit.
    await refilled.catch(() => {});
  }

  #sendPosition(
    peer: Peer,
    terminal: PoolTerminal,
    { end, channel, rendition }: ViewerPosition,
  ): void {
    const { id, epoch, cols, rows, life } = terminal;
    const base = { id, epoch, cols, rows, offset: end, next: end };
    const messages = this.#messages(rendition);
    const attachment = peer.attached.get(id);
    const open = peer.home.channels.byNumber(channel);
    const key = attachment === undefined ? {} : attachKey(peer, attachment, open);
    sendToPeer(peer, messages.attached(isText(rendition) ? base : { ...base, channel, ...key }));
    if (life.state === "finished" && peer.ended.has(id))
      sendToPeer(peer, messages.exit(id, life.exit));
  }
}

/**
 * Whether an attach may be the viewer's answer to a notice that the bridge is back; counts it as
 * received.
 */
function takeOwedAnswer(viewer: Pick<Attachment, "returnNotice">): boolean {
  const { returnNotice } = viewer;
  if (returnNotice === undefined) return false;
  const { at, owed } = returnNotice;
  viewer.returnNotice = owed > 1 ? { at, owed: owed - 1 } : undefined;
  return performance.now() - at < ANSWERS_WITHIN_MS;
}

/** Whether the viewer is being sent a replay, with the live stream to follow. */
function isReplaying(peer: Peer, { id }: PoolTerminal): boolean {
  const attachment = peer.attached.get(id);
  return attachment !== undefined && !attachment.isJoined && !attachment.isAwaitingPosition;
}

function findPosition(peer: Peer, terminal: PoolTerminal): ViewerPosition | undefined {
  const { id, life } = terminal;
  const attachment = peer.attached.get(id);
  if (attachment === undefined) {
    const ended = peer.ended.get(id);
    if (ended === undefined || life.state !== "finished") return undefined;
    return { end: life.end, ...ended };
  }
  const { rendition } = attachment;
  const open = peer.home.channels.find(terminal, rendition);
  const isSent = attachment.isJoined && attachment.skippedAt === undefined;
  if (!isSent || open === undefined || open.number !== attachment.channel) return undefined;
  return { end: open.channel.sent, channel: open.number, rendition };
}
