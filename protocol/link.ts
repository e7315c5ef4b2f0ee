// Owns the JSON payloads between bridge and room (see frame-types.ts for who sends which).

import * as z from "zod/mini";
import { GrantId } from "./grant.ts";
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
  /** What the bridge dialled, as an http(s) origin; its host must be the one the relay was asked by. */
  origin: z.string().check(z.maxLength(300)),
  /** Raw Ed25519 public key in hex: the owner. */
  publicKey: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Ed25519 over helloText(), in hex. */
  signature: z.string().check(z.regex(/^[0-9a-f]{128}$/)),
  /** Kept by the pty host: a bridge that takes over is the same instance. */
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** Rises with every dial of an instance. */
  epoch: z.int().check(z.nonnegative()),
  /** Needed for a claim on a relay that is not on loopback. */
  relayKey: z.optional(z.string().check(z.maxLength(300))),
  /** Name and version of the bridge, for logs. */
  software: z.string().check(z.maxLength(80)),
});
export type Hello = z.infer<typeof Hello>;

/** What a hello signs: nothing of it can be used in another room, on another relay or again. */
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
 * What a bridge says with its request, before it has a socket: a room that accepted it before knows
 * it by that, and strangers do not take its place. Made of `knockText`, signed by the owner's key:
 * the same at every dial, and nothing that anybody else can make.
 */
export const KNOCK_HEADER = "pairpty-knock";
export const KNOCK_PATTERN = /^[0-9a-f]{64}$/;

export function knockText({ workspace, origin }: Pick<Hello, "workspace" | "origin">): string {
  return ["pairpty knock 1", workspace, origin].join("\n");
}

export const Accepted = z.object({
  version: z.int(),
  /** Unix ms of the room, so that skewed clocks can be told apart from expired grants. */
  now: z.int(),
});
export type Accepted = z.infer<typeof Accepted>;

/**
 * How a bridge will be gone. Told when the link is up, for the case that it is lost without another
 * word, and again before the bridge leaves on purpose.
 */
export const Farewell = z.object({
  /** running: nothing ends. ended: its terminals end with it. left: they wait. Others are of later. */
  state: z.string().check(z.maxLength(20)),
  /** With "ended": which hand did it, see `EndedBy`. */
  by: z.optional(z.string().check(z.maxLength(20))),
  /** With "ended": how many terminals ended with it. With "left": how many wait; absent from older bridges. */
  terminals: z.optional(Counter),
  /** How long terminals wait for the next bridge; absent where there is none to wait. */
  graceMs: z.optional(Counter),
});
export type Farewell = z.infer<typeof Farewell>;

const Subscription = z.object({
  channel: Counter,
  attach: Counter,
  /** True when the room skipped this peer, or cannot tell what it got: join it anew. */
  skipped: z.boolean(),
});
export type Subscription = z.infer<typeof Subscription>;

export const PeerJoined = z.object({
  /** Stamped by the room from the token; the only thing the bridge believes about a peer. */
  grant: GrantId,
  joinedAt: z.int(),
  /** Its socket speaks the raw rendition. */
  raw: z.optional(z.boolean()),
  /** By which it came, where that is not the people's: `acp`. */
  door: z.optional(z.string().check(z.maxLength(32))),
  /** Not empty only behind `accepted`. */
  subscriptions: z.array(Subscription).check(z.maxLength(MAX_ATTACHED)),
});
export type PeerJoined = z.infer<typeof PeerJoined>;

export const PeerClose = z.object({
  code: z.int().check(z.gte(1000), z.lte(4999)),
  reason: z.string().check(z.maxLength(120)),
});
export type PeerClose = z.infer<typeof PeerClose>;

export const ChannelOpen = z.object({
  /** The bridge's own name for it, given back in `channelState` after a reconnect. */
  key: z.string().check(z.maxLength(100)),
  /** Whether bodies go to sockets as text or as bytes. */
  text: z.boolean(),
});
export type ChannelOpen = z.infer<typeof ChannelOpen>;

export const ChannelState = z.object({
  key: z.string().check(z.maxLength(100)),
  /** Everything before it reached the room; null when the room slept since and does not know. */
  received: z.nullable(Offset),
});
export type ChannelState = z.infer<typeof ChannelState>;

export const Join = z.object({ peer: Counter, attach: Counter, offset: Offset });
export type Join = z.infer<typeof Join>;

export const Leave = z.object({ peer: Counter });
export type Leave = z.infer<typeof Leave>;

export const Acked = z.object({ peer: Counter, attach: Counter, offset: Offset });
export type Acked = z.infer<typeof Acked>;

/** A peer joins unwatched: its acks are the room's own matter. */
export const Watch = z.object({ peer: Counter, on: z.boolean() });
export type Watch = z.infer<typeof Watch>;

export const Drained = z.object({ peer: Counter, attach: Counter });
export type Drained = z.infer<typeof Drained>;

/** `sent` is the last offset the peer was sent before it was skipped. */
export const Skipped = z.object({ peer: Counter, attach: Counter, sent: Offset });
export type Skipped = z.infer<typeof Skipped>;
