// Owns the meaning of each frame from the accepted link. For a frame that it cannot use it returns
// a reason, and the room ends the link with that; frames about a peer that just left are ignored.

import type * as z from "zod/mini";
import { CloseCode } from "../../protocol/codes.ts";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FLAG_BINARY, FrameType } from "../../protocol/frame-types.ts";
import { GrantsUpdate } from "../../protocol/grant.ts";
import { parsePayload } from "../../protocol/json.ts";
import { MAX_FRAME_PAYLOAD, MAX_LINK_MESSAGE } from "../../protocol/limits.ts";
import {
  Acked,
  ChannelOpen,
  Farewell,
  Join,
  Leave,
  PeerClose,
  Watch,
} from "../../protocol/link.ts";
import { encodeOffset, decodeGroup } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { Channels } from "./channels.ts";
import type { GrantList } from "./grants.ts";
import type { Refusal } from "./hello.ts";
import type { Link } from "./link.ts";
import type { Peer, Peers } from "./peers.ts";
import type { Tunnel } from "./tunnel.ts";

/** Types outside this set come from a newer bridge and are ignored. */
const KNOWN_FRAME_TYPES: ReadonlySet<number> = new Set(Object.values(FrameType));

/** Why a frame was rejected; undefined when it was accepted. */
type FrameError = string | undefined;

export interface LinkFrameDeps {
  readonly peers: Peers;
  readonly channels: Channels;
  readonly tunnel: Tunnel;
  readonly grants: GrantList;
  readonly onChannelsChanged: () => void;
  readonly onFarewell: (farewell: Farewell) => void;
  readonly closePeer: (peer: Peer, code: number, reason: string) => void;
}

export class LinkFrames {
  readonly #deps: LinkFrameDeps;

  constructor(deps: LinkFrameDeps) {
    this.#deps = deps;
  }

  /** Handles a whole message; returns why the link must end. Frames before a bad one count. */
  onMessage(link: Link, message: string | ArrayBuffer): Refusal | undefined {
    if (typeof message === "string") return badMessage("The link accepts no text messages.");
    if (message.byteLength > MAX_LINK_MESSAGE) return tooBig("The message is too long.");
    const decoded = decodeFrames(new Uint8Array(message));
    let error: FrameError;
    link.batch(() => {
      for (const frame of decoded.frames) {
        error = this.#onFrame(link, frame);
        if (error !== undefined) break;
      }
    });
    if (error !== undefined) return badMessage(error);
    if (decoded.ok) return undefined;
    return decoded.error.fault === "too_long"
      ? tooBig(`A frame may be at most ${MAX_FRAME_PAYLOAD} bytes.`)
      : badMessage("The message does not hold whole frames.");
  }

  #onFrame(link: Link, frame: Frame): FrameError {
    const { channels, tunnel, grants, onChannelsChanged } = this.#deps;
    const { stream, payload } = frame;
    switch (frame.type) {
      case FrameType.output:
        return channels.output(link, frame);
      case FrameType.acked:
        return withPayload(Acked, payload, (acked) => {
          this.#withPeer(acked.peer, (peer) => channels.applyAck(link, stream, peer, acked));
        });
      case FrameType.watch:
        return withPayload(Watch, payload, (watch) => {
          this.#withPeer(watch.peer, (peer) => channels.watch(stream, peer, watch.on));
        });
      case FrameType.peerSend:
        return this.#peerSend(frame);
      case FrameType.groupSend:
        return this.#groupSend(frame);
      case FrameType.streamHead:
      case FrameType.streamData:
      case FrameType.streamEnd:
      case FrameType.streamCancel:
      case FrameType.streamCredit:
        tunnel.take(frame);
        return undefined;
      case FrameType.join:
        return this.#join(stream, payload);
      case FrameType.leave:
        return withPayload(Leave, payload, (leave) => {
          this.#withPeer(leave.peer, (peer) => channels.leave(stream, peer));
        });
      case FrameType.channelOpen:
        return this.#open(stream, payload);
      case FrameType.channelClose:
        channels.close(stream);
        onChannelsChanged();
        return undefined;
      case FrameType.peerClose:
        return withPayload(PeerClose, payload, ({ code, reason }) => {
          this.#withPeer(stream, (peer) => this.#deps.closePeer(peer, code, reason));
        });
      case FrameType.grants:
        return withPayload(GrantsUpdate, payload, (update) =>
          grants.update(update) ? undefined : "There are too many grants.",
        );
      case FrameType.farewell:
        return withPayload(Farewell, payload, (farewell) => this.#deps.onFarewell(farewell));
      case FrameType.nudge:
        channels.markAll(link);
        link.send(FrameType.alive, 0, encodeOffset(Date.now()));
        return undefined;
      case FrameType.alive:
        return undefined;
      default:
        return KNOWN_FRAME_TYPES.has(frame.type)
          ? `Bridges may not send frames of type ${frame.type}.`
          : undefined;
    }
  }

  #peerSend({ flags, stream, payload }: Frame): FrameError {
    if (stream === 0) this.#deps.peers.broadcast(toMessage(flags, payload));
    else this.#withPeer(stream, (peer) => this.#sendTo(peer, flags, payload));
    return undefined;
  }

  #sendTo(peer: Peer, flags: number, payload: Uint8Array): void {
    if (!peer.isAgent) return peer.send(toMessage(flags, payload), payload.length);
    const gathered = peer.pieces.take(flags, payload);
    if (gathered.is === "whole") return peer.send(toText(gathered.bytes), gathered.bytes.length);
    if (gathered.is === "more") return undefined;
    // A request or an answer is lost with it, and the agent would wait forever.
    return this.#deps.closePeer(peer, CloseCode.internal, "A message to you was lost.");
  }

  #groupSend({ flags, payload }: Frame): FrameError {
    const group = decodeGroup(payload);
    if (group === undefined) return "A message for a group does not name its peers.";
    const message = toMessage(flags, group.body);
    for (const number of group.peers) {
      this.#withPeer(number, (peer) => peer.send(message, group.body.length));
    }
    return undefined;
  }

  #open(stream: number, payload: Uint8Array): FrameError {
    const { channels, onChannelsChanged } = this.#deps;
    return withPayload(ChannelOpen, payload, (open) => {
      if (channels.has(stream)) return undefined;
      if (!channels.open(stream, open)) return "There are too many channels.";
      return onChannelsChanged();
    });
  }

  #join(stream: number, payload: Uint8Array): FrameError {
    const { channels, closePeer } = this.#deps;
    if (!channels.has(stream)) return `A join is for channel ${stream}, which is not open.`;
    return withPayload(Join, payload, (join) => {
      this.#withPeer(join.peer, (peer) => {
        if (channels.join(stream, peer, join)) return;
        closePeer(peer, CloseCode.badMessage, "Attached to too many terminals.");
      });
    });
  }

  #withPeer(number: number, use: (peer: Peer) => void): void {
    const peer = this.#deps.peers.findByNumber(number);
    if (peer !== undefined) use(peer);
  }
}

function toMessage(flags: number, body: Uint8Array): string | Uint8Array {
  return (flags & FLAG_BINARY) === 0 ? toText(body) : body;
}

function withPayload<T>(
  schema: z.ZodMiniType<T>,
  payload: Uint8Array,
  use: (value: T) => FrameError | void,
): FrameError {
  const parsed = parsePayload(schema, payload);
  if (!parsed.ok) return parsed.error;
  return use(parsed.value) ?? undefined;
}

function badMessage(reason: string): Refusal {
  return { code: CloseCode.badMessage, reason };
}

function tooBig(reason: string): Refusal {
  return { code: CloseCode.tooBig, reason };
}
