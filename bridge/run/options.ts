// Owns what a run of a bridge is told: what the user's settings come to, and who hears of it.

import type { AgentDefaults } from "../agents/defaults.ts";
import type { AcpOptions } from "../config/acp-settings.ts";
import type { ApprovalOptions } from "../config/approval-settings.ts";
import type { FileOptions } from "../config/file-settings.ts";
import type { Fixtures } from "../dialects/mcp/fixtures.ts";
import type { DialProblem } from "../link/dial-problem.ts";
import type { PanelSettings } from "../panels/service.ts";
import type { CommandLists } from "../policy/lists.ts";
import type { IsolationSettings } from "../providers/settings.ts";
import type { TunnelPlan } from "../tunnels/programs.ts";
import type { BridgeEvent } from "./events.ts";
import type { PartsWish } from "./parts.ts";

/** What the user's settings say about what is in a room. */
export interface RoomSettings {
  /** After this long without activity, pairpty closes an agent's background terminal. */
  readonly agentIdleMs: number;
  /** Variables that agents' children get though they look like secrets. */
  readonly agentEnvironment: readonly string[];
  /** Agents' commands and sessions, where they say nothing else. */
  readonly agentDefaults: AgentDefaults;
  /** What the user calls safe and dangerous. */
  readonly lists: CommandLists;
  readonly panels: PanelSettings;
  readonly approvals: ApprovalOptions;
  /** What coding agents may ask for. */
  readonly acp: AcpOptions;
  /** Where files from pages go, and how large one may be. */
  readonly files: FileOptions;
}

/** The same of a whole run. */
export interface RunSettings extends RoomSettings {
  readonly insecure: boolean;
  readonly shell: string;
  /** Folders beside the workspace's own that agents may start things in, as real paths. */
  readonly agentRoots: readonly string[];
  /** Walls and limits of what agents start. */
  readonly isolation: IsolationSettings;
  readonly recordings: { readonly mostBytes: number };
  /** Everybody waits until somebody lets them in, whatever their link. */
  readonly knock: boolean;
}

export interface RunOptions extends Omit<PartsWish, "exposure">, RunSettings {
  /** The tunnel by which others reach the embedded relay; undefined for none. */
  readonly tunnel?: TunnelPlan | undefined;
  /** Ends the wait for a tunnel's first address. */
  readonly stop?: AbortSignal | undefined;
  /** A file of authorities to trust on the link, beside the usual ones. */
  readonly ca?: string | undefined;
  readonly relayKey: string | undefined;
  /** What a test suite adds to every MCP server; undefined for people. */
  readonly fixtures?: Fixtures | undefined;
  /** False only to measure what screens cost. */
  readonly areScreensFed: boolean;
  readonly onEvent: (event: BridgeEvent) => void;
  /** The dial failed; the bridge retries. */
  readonly onDialFailed: (problem: DialProblem) => void;
}
