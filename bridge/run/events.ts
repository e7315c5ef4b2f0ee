// Owns what a person at the terminal, or a program reading `--json`, is told as it happens.

import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import type { Decided } from "../people/hosting.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";

export interface PeerTold {
  readonly peer: number;
  readonly who?: string;
  readonly name?: string;
  readonly grant: string;
  /** What they may do now: `view` for an Edit link that is limited to watching. */
  readonly role: string;
  readonly limited?: true;
  readonly label: string;
}

export type BridgeEvent =
  | { event: "link_up" }
  /** `own`: the bridge itself left, to come back at once for a new pty host. */
  | { event: "link_lost"; reason: string; own: boolean }
  /** The pty host died, and so many terminals with it; starting another. */
  | { event: "host_lost"; terminals: number }
  /** Something about this run that its user should know, in a sentence. */
  | { event: "note"; note: string }
  /** The tunnel's program ended; it is started again. */
  | { event: "tunnel_lost"; reason: string; retryMs: number }
  /** It is back; `isNew`: by another name, so every link of before leads nowhere. */
  | { event: "tunnel_up"; relay: string; isNew: boolean }
  | { event: "link_refused"; code: number; reason: string }
  | ({ event: "peer_joined" } & PeerTold)
  /** Waits until somebody lets them in; nothing in the room knows of them. */
  | ({ event: "peer_knocked" } & PeerTold & { who: string })
  /** Somebody said what they are called. */
  | ({ event: "peer_named" } & PeerTold)
  | { event: "peer_left"; peer: number; grant: string }
  /** Somebody was let in, sent away, kept to watching or let back, and by whom. */
  | ({ event: "person_decided" } & Decided)
  | { event: "terminal_created" | "terminal_promoted"; terminal: Terminal }
  | { event: "approval_requested"; approval: Approval }
  | ({ event: "approval_settled" } & Omit<ApprovalSettled, "type">)
  | { event: "terminal_closed"; terminal: Terminal; exit: Exit | undefined };
