// Owns the options of a run: the user's settings and the listeners. Also owns the events that a run
// reports to the terminal window and to `--json`.

import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import type { AcpOptions, ApprovalOptions, FileOptions } from "../config/feature-settings.ts";
import type { Fixtures } from "../dialects/mcp/dialect.ts";
import type { IsolationSettings } from "../isolation/isolation-settings.ts";
import type { DialProblem } from "../link/dial-problem.ts";
import type { PanelSettings } from "../panels/panels.ts";
import type { ModerationEvent } from "../people/moderation.ts";
import type { CommandLists } from "../policy/command-lists.ts";
import type { TunnelPlan } from "../tunnels/tunnel-programs.ts";
import type { HostAndRelayOptions } from "./host-and-relay.ts";

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

/** The user's settings that concern a room. */
export interface RoomSettings {
  /** Idle time after which pairpty closes an agent's background terminal. */
  readonly agentIdleMs: number;
  /** Variables that agents' processes get although they look like secrets. */
  readonly agentEnvironment: readonly string[];
  /** Defaults for agents' commands and sessions. */
  readonly agentDefaults: AgentDefaults;
  /** The user's lists of safe and dangerous commands. */
  readonly commandLists: CommandLists;
  readonly panels: PanelSettings;
  readonly approvals: ApprovalOptions;
  /** What coding agents may request. */
  readonly acp: AcpOptions;
  /** Folder and size limit of uploads from pages. */
  readonly files: FileOptions;
}

/** The user's settings that concern a whole run. */
export interface RunSettings extends RoomSettings {
  readonly insecure: boolean;
  readonly shell: string;
  /** Folders beside the workspace's own in which agents may start processes, as real paths. */
  readonly agentRoots: readonly string[];
  /** Isolation and resource limits of agents' processes. */
  readonly isolation: IsolationSettings;
  readonly recordings: { readonly maxBytes: number };
  /** Every guest waits for admission, whatever their link. */
  readonly knock: boolean;
  /** Whether the room is end-to-end encrypted; decided once, at the start. */
  readonly isSealed: boolean;
}

export interface RunOptions extends Omit<HostAndRelayOptions, "exposure">, RunSettings {
  /** The tunnel through which others reach the embedded relay. */
  readonly tunnel?: TunnelPlan | undefined;
  /** Aborts the wait for the tunnel's first address. */
  readonly stop?: AbortSignal | undefined;
  /** A file of additional CAs to trust on the link. */
  readonly ca?: string | undefined;
  readonly relayKey: string | undefined;
  /** Whether the workspace is new: its host key is made anew, too. */
  readonly fresh: boolean;
  /** Test fixtures that a test suite adds to every MCP server; undefined in normal use. */
  readonly fixtures?: Fixtures | undefined;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Fires when a dial failed; the bridge retries. */
  readonly onDialFailed: (problem: DialProblem) => void;
}
