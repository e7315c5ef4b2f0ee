// Owns the interface between doors and conversations: a connected coding agent, as JSON-RPC
// messages both ways. Knows no socket and no process.

import type { Stream } from "@agentclientprotocol/sdk";
import type { Caller } from "../callers/caller.ts";
import type { Isolation } from "../../protocol/isolation.ts";

/** A coding agent that has connected, in any way. */
export interface AgentWire {
  /** stdio: `pairpty agent` on this machine. socket: through the relay. */
  readonly via: "stdio" | "socket";
  readonly stream: Stream;
  /** Absolute path where its sessions start. */
  readonly folder: string;
  /** Minimum isolation of what it creates. */
  readonly isolation: Isolation;
  /** `--prompt`: one turn, without a page. */
  readonly prompt?: string | undefined;
  /** Receives the text of the agent's messages as it arrives, for `pairpty agent` to print. */
  readonly onText?: ((text: string) => void) | undefined;
  /** Fires once with the outcome of `prompt`'s turn (ACP's stop reason), or why there was none. */
  readonly onTurnEnded?: ((outcome: TurnOutcome) => void) | undefined;
  /** Whether the agent can start `pairpty mcp` on this machine. */
  readonly isLocal: boolean;
  /** Resolves when the agent has read most of what it was sent, or is gone. */
  waitForDrain(): Promise<void>;
  /** Closes the connection with a message. */
  close(message: string): void;
}

export type TurnOutcome = { readonly reason: string } | { readonly error: string };

/** Receives agents from doors. */
export interface AgentsHost {
  /** Serves an agent; returns a function to call with the reason when the connection closes. */
  serve(caller: Caller, wire: AgentWire): (why?: string) => void;
}
