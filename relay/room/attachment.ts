// Owns what a socket remembers while the room sleeps. The runtime keeps 16 KB for each socket;
// partyserver wraps ours into its own. Anything bigger is cut here, not refused there.

import type { Connection } from "partyserver";
import type { DeliveryState } from "./delivery.ts";
import type { ProofState } from "./proof.ts";

/** Channel number, the bridge's key for it, whether it is text. */
export type ChannelEntry = readonly [number: number, key: string, text: boolean];

/** Offsets are those of the moment it was written: lower bounds for whoever wakes up with it. */
export type SubscriptionEntry = readonly [
  channel: number,
  attach: number,
  state: DeliveryState,
  sent: number,
  acked: number,
];

export type SocketState =
  /** A bridge that has been challenged; the nonce is gone once a hello has used it. */
  | {
      readonly kind: "greeting";
      readonly nonce: string;
      readonly host: string;
      readonly knock?: string;
      /** It did not know the knock of a bridge that was accepted here. */
      readonly stranger: boolean;
    }
  | {
      readonly kind: "link";
      readonly instance: string;
      readonly epoch: number;
      readonly channels: readonly ChannelEntry[];
      /** For what came in of them, see counts.ts; absent if it was written before there were any. */
      readonly counts?: string;
      /** Unix ms: it does not answer, and was last heard then. */
      readonly silentSince?: number;
    }
  | {
      readonly kind: "peer";
      readonly number: number;
      readonly grant: string;
      readonly joinedAt: number;
      /** It speaks the raw rendition. */
      readonly raw: boolean;
      /** It is a coding agent's; absent for people. */
      readonly isAgent?: boolean;
      /** Whether it has ever acked: only then may the room judge how far behind it is. */
      readonly acks: boolean;
      readonly proof: ProofState;
      /** Whether it has ever said anything. */
      readonly heard: boolean;
      readonly subscriptions: readonly SubscriptionEntry[];
    }
  /** We closed it; its other end may not know yet. A wake must not take it for what it was. */
  | {
      readonly kind: "gone";
      /** By which it came, if what it did not read is still kept for it. */
      readonly grant?: string;
    };

export type Socket = Connection<SocketState>;

/** Of the 16 KB: what is left for channels beside partyserver's own fields, with room to spare. */
const CHANNEL_BYTES = 12 << 10;
/** Tags, lengths, number and flag of one entry in the runtime's encoding, rounded up. */
const ENTRY_BYTES = 20;

/** Splits a channel list into what fits into the link's attachment and what must go elsewhere. */
export function fitChannels(entries: readonly ChannelEntry[]): {
  inside: ChannelEntry[];
  beyond: ChannelEntry[];
} {
  const inside: ChannelEntry[] = [];
  let size = 0;
  for (const entry of entries) {
    // Keys are mostly ASCII; any other character makes the whole string two bytes each.
    size += ENTRY_BYTES + entry[1].length * 2;
    if (size > CHANNEL_BYTES) break;
    inside.push(entry);
  }
  return { inside, beyond: entries.slice(inside.length) };
}
