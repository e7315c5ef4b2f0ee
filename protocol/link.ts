// Owns the JSON payloads between bridge and room (see frame-types.ts for who sends which).

import * as z from "zod/mini";
import { GrantId, Ticket } from "./grant.ts";
import { MAX_ATTACHED } from "./limits.ts";
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
