// Owns the events that a run reports to the terminal window and to `--json`.

import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import type { ModerationEvent } from "../people/moderation.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";

export interface PeerInfo {
  readonly peer: number;
  readonly who?: string;
  readonly name?: string;
  readonly grant: string;
  /** Current role: `view` for an Edit link that the host limited to watching. */
  readonly role: string;
  readonly limited?: true;
  readonly label: string;
}

export type BridgeEvent =
  | { event: "link_up" }
  /** `own`: the bridge dropped the link itself, to reconnect for a new pty host. */
  | { event: "link_lost"; reason: string; own: boolean }
  /** The pty host died with this many terminals; the bridge starts another. */
  | { event: "host_lost"; terminals: number }
  /** A one-sentence notice about this run for its user. */
  | { event: "note"; note: string }
  /** The tunnel's program exited; the bridge restarts it. */
  | { event: "tunnel_lost"; reason: string; retryMs: number }
  /** The tunnel is back. `isNew`: under another address, so earlier links no longer work. */
  | { event: "tunnel_up"; relay: string; isNew: boolean }
  | { event: "link_refused"; code: number; reason: string }
  | ({ event: "peer_joined" } & PeerInfo)
  /** A guest is waiting for admission and is not in the room yet. */
  | ({ event: "peer_knocked" } & PeerInfo & { who: string })
  /** A guest set a name. */
  | ({ event: "peer_named" } & PeerInfo)
  | { event: "peer_left"; peer: number; grant: string }
  /** A host admitted, removed, limited or unlimited a person. */
  | ({ event: "person_decided" } & ModerationEvent)
  | { event: "terminal_created" | "terminal_promoted"; terminal: Terminal }
  | { event: "approval_requested"; approval: Approval }
  | ({ event: "approval_settled" } & Omit<ApprovalSettled, "type">)
  | { event: "terminal_closed"; terminal: Terminal; exit: Exit | undefined };
