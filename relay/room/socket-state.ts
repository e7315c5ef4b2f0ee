// Owns the state that a socket keeps while the room hibernates. The runtime stores 16 KB for each
// socket, and partyserver wraps our state into its own. Anything larger is split here, before the
// runtime would reject it.

import type { Connection } from "partyserver";
import type { DeliveryState } from "./delivery.ts";
import type { ProofState } from "./read-proof.ts";

/** Channel number, the bridge's key for it, and whether it is text. */
export type ChannelEntry = readonly [number: number, key: string, text: boolean];

/** Offsets are from the last save, so after a wake they are lower bounds. */
export type SubscriptionEntry = readonly [
  channel: number,
  attach: number,
  state: DeliveryState,
  sent: number,
  acked: number,
];

export type SocketState =
  /** A challenged bridge; the nonce is removed once a hello has used it. */
  | {
      readonly kind: "greeting";
      readonly nonce: string;
      readonly host: string;
      readonly knock?: string;
      /** Its knock was missing or wrong. */
      readonly stranger: boolean;
    }
  | {
      readonly kind: "link";
      readonly instance: string;
      readonly epoch: number;
      readonly channels: readonly ChannelEntry[];
      /** Key of the received counts (received-counts.ts); absent in attachments from before those existed. */
      readonly counts?: string;
      /** Unix ms of the bridge's last sign of life; set while it does not respond. */
      readonly silentSince?: number;
    }
  | {
      readonly kind: "peer";
      readonly number: number;
      readonly grant: string;
      /**
       * Its token, for the bridge to verify. Kept in this attachment alone; absent in attachments
       * from before the bridge verified tickets.
       */
      readonly ticket?: string | undefined;
      readonly joinedAt: number;
      /** Whether the peer uses the raw rendition. */
      readonly raw: boolean;
      /** True for a coding agent's socket; absent for people. */
      readonly isAgent?: boolean;
      /** Whether it has ever sent an ack: the room measures its lag only then. */
      readonly acks: boolean;
      readonly proof: ProofState;
      /** Whether it has ever sent a message. */
      readonly heard: boolean;
      readonly subscriptions: readonly SubscriptionEntry[];
    }
  /** Closed by the room; the client may not know yet. After a wake-up it must not count as an open socket. */
  | {
      readonly kind: "gone";
      /** Its grant, while the runtime still holds unread data for it. */
      readonly grant?: string;
    };

export type Socket = Connection<SocketState>;

/** Budget for channels within the 16 KB, leaving a margin for partyserver's own fields. */
const CHANNEL_BYTES = 12 << 10;
/** Size of an entry's tags, lengths, number and flag in the runtime's encoding, rounded up. */
const ENTRY_BYTES = 20;

/** Splits a channel list into the part that fits into the link's attachment and the rest. */
export function splitChannels(entries: readonly ChannelEntry[]): {
  inside: ChannelEntry[];
  beyond: ChannelEntry[];
} {
  const inside: ChannelEntry[] = [];
  let size = 0;
  for (const entry of entries) {
    // Keys are mostly ASCII; any other character makes the whole string two bytes per character.
    size += ENTRY_BYTES + entry[1].length * 2;
    if (size > CHANNEL_BYTES) break;
    inside.push(entry);
  }
  return { inside, beyond: entries.slice(inside.length) };
}
