// Owns the seam between the ways in for coding agents and their conversations: an agent that has
// come in, as JSON-RPC messages both ways. Knows no socket and no process: doors do.

import type { Stream } from "@agentclientprotocol/sdk";
import type { Caller } from "../callers/caller.ts";
import type { Isolation } from "../../protocol/isolation.ts";

/** An agent that has come in, whatever way. */
export interface AgentWire {
  /** stdio: `pairpty agent` on this machine. socket: through the relay. */
  readonly via: "stdio" | "socket";
  readonly stream: Stream;
  /** Where its sessions begin; absolute. */
  readonly folder: string;
  /** The floor of what it creates. */
  readonly isolation: Isolation;
  /** `--prompt`: one turn, without a page. */
  readonly prompt?: string | undefined;
  /** What the verb prints: the text of the agent's messages, as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
  /** How the turn of `prompt` ended (ACP's stop reason), or why there was none. Called once. */
  readonly onTurnEnded?: ((outcome: TurnOutcome) => void) | undefined;
  /** It can start `pairpty mcp` on this machine. */
  readonly isHere: boolean;
  /** Resolves when the agent has read most of what it was sent, or is gone. */
  drained(): Promise<void>;
  /** Ends the connection with a sentence. */
  close(sentence: string): void;
}

export type TurnOutcome = { readonly reason: string } | { readonly error: string };

/** What doors hand agents to. */
export interface AgentsHost {
  /** Returns what to call when the connection is gone, with why if that is known. */
  serve(caller: Caller, wire: AgentWire): (why?: string) => void;
}
