// Owns the JSON payloads between bridge and room (see frame-types.ts for who sends which). Also
// owns the room's timestamp in front of a peer's message on the link: eight bytes of Unix ms, then
// the message. And messages longer than a frame, on the link: cuts them into pieces that follow
// each other on one stream, and reassembles them.

import * as z from "zod/mini";
import { FLAG_CONTINUED, FLAG_MORE } from "./frame-types.ts";
import { GrantId, Ticket } from "./grant.ts";
import { MAX_ATTACHED, MAX_FRAME_PAYLOAD } from "./limits.ts";
import { decodeOffset, encodeOffset } from "./output.ts";
import { WorkspaceId } from "./workspace.ts";

const Offset = z.int().check(z.nonnegative());
const Counter = z.int().check(z.nonnegative(), z.lte(0xffff_ffff));

export const Challenge = z.object({
  version: z.int(),
  nonce: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});
export type Challenge = z.infer<typeof Challenge>;

export const Hello = z.object({
  version: z.int(),
  workspace: WorkspaceId,
  /**
   * The http(s) origin that the bridge dialled; its host must be the one of the request to the
   * relay.
   */
  origin: z.string().check(z.maxLength(300)),
  /** Raw Ed25519 public key in hex: the owner. */
  publicKey: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Ed25519 over helloText(), in hex. */
  signature: z.string().check(z.regex(/^[0-9a-f]{128}$/)),
  /** Stored by the pty host: a bridge that takes over has the same instance. */
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** Increases with every dial of an instance. */
  epoch: z.int().check(z.nonnegative()),
  /** Required to claim a workspace on a relay that is not on loopback. */
  relayKey: z.optional(z.string().check(z.maxLength(300))),
  /** Name and version of the bridge, for logs. */
  software: z.string().check(z.maxLength(80)),
});
export type Hello = z.infer<typeof Hello>;

/** Returns the text that a hello signs; it is bound to one room, one relay and one dial. */
export function helloText(
  nonce: string,
  hello: Pick<Hello, "workspace" | "origin" | "instance" | "epoch">,
): string {
  return [
    "pairpty hello 1",
    nonce,
    hello.workspace,
    hello.origin,
    hello.instance,
    String(hello.epoch),
  ].join("\n");
}

/**
 * Header of a bridge's dial. A room that accepted this bridge before recognises it by the header,
 * so unauthenticated clients cannot take its place. Derived from the owner key's signature of
 * `knockText`: the same for every dial, and only the owner can make it.
 */
export const KNOCK_HEADER = "pairpty-knock";
export const KNOCK_PATTERN = /^[0-9a-f]{64}$/;

export function knockText({ workspace, origin }: Pick<Hello, "workspace" | "origin">): string {
  return ["pairpty knock 1", workspace, origin].join("\n");
}

export const Accepted = z.object({
  version: z.int(),
  /** Unix ms of the room, to distinguish clock skew from expired grants. */
  now: z.int(),
});
export type Accepted = z.infer<typeof Accepted>;

/**
 * What peers should read once the bridge is gone. Sent when the link comes up, in case it drops
 * without warning, and again before the bridge leaves on purpose.
 */
export const Farewell = z.object({
  /**
   * running: nothing ends. ended: its terminals end with it. left: they wait. Later versions may
   * add others.
   */
  state: z.string().check(z.maxLength(20)),
  /** With "ended": what ended it, see `EndedBy`. */
  by: z.optional(z.string().check(z.maxLength(20))),
  /** How long terminals wait for the next bridge; absent if there are none. */
  graceMs: z.optional(Counter),
});
export type Farewell = z.infer<typeof Farewell>;

const Subscription = z.object({
  channel: Counter,
  attach: Counter,
  /** True if the room skipped this peer or does not know what it received: join it again. */
  skipped: z.boolean(),
});
export type Subscription = z.infer<typeof Subscription>;

export const PeerJoined = z.object({
  /** The grant that the room routed it by. A claim: the bridge verifies the ticket. */
  grant: GrantId,
  /** Absent if the room lost it; the bridge then closes the peer, which connects again. */
  ticket: z.optional(Ticket),
  joinedAt: z.int(),
  /** Whether its socket uses the raw rendition. */
  raw: z.optional(z.boolean()),
  /** The door it used, unless it is the people's: `acp`. */
  door: z.optional(z.string().check(z.maxLength(32))),
  /** Non-empty only after `accepted`. */
  subscriptions: z.array(Subscription).check(z.maxLength(MAX_ATTACHED)),
});
export type PeerJoined = z.infer<typeof PeerJoined>;

export const PeerClose = z.object({
  code: z.int().check(z.gte(1000), z.lte(4999)),
  reason: z.string().check(z.maxLength(120)),
});
export type PeerClose = z.infer<typeof PeerClose>;

export const ChannelOpen = z.object({
  /** The bridge's own name for the channel, returned in `channelState` after a reconnect. */
  key: z.string().check(z.maxLength(100)),
  /** Whether bodies go to sockets as text or as bytes. */
  text: z.boolean(),
});
export type ChannelOpen = z.infer<typeof ChannelOpen>;

export const ChannelState = z.object({
  key: z.string().check(z.maxLength(100)),
  /**
   * The room has received everything before this offset; null if the room slept since and does not
   * know.
   */
  received: z.nullable(Offset),
});
export type ChannelState = z.infer<typeof ChannelState>;

export const Join = z.object({ peer: Counter, attach: Counter, offset: Offset });
export type Join = z.infer<typeof Join>;

export const Leave = z.object({ peer: Counter });
export type Leave = z.infer<typeof Leave>;

export const Acked = z.object({ peer: Counter, attach: Counter, offset: Offset });
export type Acked = z.infer<typeof Acked>;

/** Peers join unwatched: the room handles their acks on its own. */
export const Watch = z.object({ peer: Counter, on: z.boolean() });
export type Watch = z.infer<typeof Watch>;

export const Drained = z.object({ peer: Counter, attach: Counter });
export type Drained = z.infer<typeof Drained>;

/** `sent` is the last offset the peer was sent before it was skipped. */
export const Skipped = z.object({ peer: Counter, attach: Counter, sent: Offset });
export type Skipped = z.infer<typeof Skipped>;

// The bridge uses it to measure how long a message waited in a socket. Pure.

export const STAMP_BYTES = 8;

export interface StampedMessage {
  /** Unix ms by the room's clock. */
  readonly at: number;
  /** A view into the payload. */
  readonly body: Uint8Array;
}

export function encodeStamped(at: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES + body.length);
  bytes.set(encodeOffset(at));
  bytes.set(body, STAMP_BYTES);
  return bytes;
}

/** Undefined if the payload has no valid timestamp. */
export function decodeStamped(payload: Uint8Array): StampedMessage | undefined {
  const at = decodeOffset(payload.subarray(0, STAMP_BYTES));
  return at === undefined ? undefined : { at, body: payload.subarray(STAMP_BYTES) };
}

// Pure. Only agents' sockets have such messages.

export interface Piece {
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** Cuts a message into pieces of at most `max` bytes. */
export function cutIntoPieces(bytes: Uint8Array, max = MAX_FRAME_PAYLOAD): Piece[] {
  if (bytes.length <= max) return [{ flags: 0, payload: bytes }];
  const pieces: Piece[] = [];
  for (let from = 0; from < bytes.length; from += max) {
    const payload = bytes.subarray(from, from + max);
    const isLast = from + payload.length === bytes.length;
    pieces.push({ flags: (from > 0 ? FLAG_CONTINUED : 0) | (isLast ? 0 : FLAG_MORE), payload });
  }
  return pieces;
}

export type PieceResult =
  | { readonly is: "whole"; readonly bytes: Uint8Array }
  | { readonly is: "more" }
  /** A piece is missing: the receiver connected in the middle of the message. */
  | { readonly is: "torn" }
  | { readonly is: "too long" };

export class PieceCollector {
  readonly #most: number;
  #held: Uint8Array[] = [];
  #length = 0;

  /** Limits one message to `most` bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  take(flags: number, payload: Uint8Array): PieceResult {
    const isFirst = (flags & FLAG_CONTINUED) === 0;
    if (isFirst !== (this.#held.length === 0)) return this.#drop("torn");
    if (this.#length + payload.length > this.#most) return this.#drop("too long");
    if (isFirst && (flags & FLAG_MORE) === 0) return { is: "whole", bytes: payload };
    // A copy: the chunk's memory may be reused, or would stay allocated as a whole.
    this.#held.push(payload.slice());
    this.#length += payload.length;
    if ((flags & FLAG_MORE) !== 0) return { is: "more" };
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#held) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#drop("torn");
    return { is: "whole", bytes };
  }

  #drop<Is extends "torn" | "too long">(is: Is): { readonly is: Is } {
    this.#held = [];
    this.#length = 0;
    return { is };
  }
}
