// Owns the options of a run: the user's settings and the listeners.

import type { AgentDefaults } from "../agents/defaults.ts";
import type { AcpOptions, ApprovalOptions, FileOptions } from "../config/feature-settings.ts";
import type { Fixtures } from "../dialects/mcp/dialect.ts";
import type { DialProblem } from "../link/dial-problem.ts";
import type { PanelSettings } from "../panels/panels.ts";
import type { CommandLists } from "../policy/command-lists.ts";
import type { IsolationSettings } from "../isolation/isolation-settings.ts";
import type { TunnelPlan } from "../tunnels/tunnel-programs.ts";
import type { BridgeEvent } from "./bridge-events.ts";
import type { HostAndRelayOptions } from "./host-and-relay.ts";

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
}

export interface RunOptions extends Omit<HostAndRelayOptions, "exposure">, RunSettings {
  /** The tunnel through which others reach the embedded relay. */
  readonly tunnel?: TunnelPlan | undefined;
  /** Aborts the wait for the tunnel's first address. */
  readonly stop?: AbortSignal | undefined;
  /** A file of additional CAs to trust on the link. */
  readonly ca?: string | undefined;
  readonly relayKey: string | undefined;
  /** Test fixtures that a test suite adds to every MCP server; undefined in normal use. */
  readonly fixtures?: Fixtures | undefined;
  /** False only in benchmarks that measure the cost of screens. */
  readonly feedScreens: boolean;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Fires when a dial failed; the bridge retries. */
  readonly onDialFailed: (problem: DialProblem) => void;
}
