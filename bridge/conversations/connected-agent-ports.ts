// Owns the ports of a connected coding agent: the services that it uses, and the conversations as it
// sees them. Types only.

import type { Isolation } from "../../protocol/isolation.ts";
import type { ClientTerminals } from "../agents/client-terminals.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { PlanDraft } from "../terminals/spawn-plan.ts";
import type { Conversation } from "./conversation.ts";
import type {
  AgentRequestHandler,
  AgentPort,
  AgentInfo,
  ToolServer,
  AgentWire,
} from "./agent-ports.ts";
import type { AgentFiles } from "./agent-files.ts";
import type { ShownTerminals } from "./session-updates.ts";
import type { ConnectedAgent } from "./connected-agent.ts";

export interface ConnectedAgentDeps {
  readonly connect: (wire: AgentWire, calls: AgentRequestHandler) => AgentPort;
  readonly terminals: Pick<
    ClientTerminals,
    "create" | "readOutput" | "waitForExit" | "kill" | "release" | "releaseAll"
  >;
  readonly shownTerminals: Pick<ShownTerminals, "findId" | "apply" | "endForConversation">;
  readonly files: Pick<AgentFiles, "read" | "write">;
  readonly approvals: Pick<Approvals, "request" | "onEvent" | "onSubjectEnded">;
  readonly judge: (draft: PlanDraft) => Judgement;
  /** Offers the room's terminals as tools, if the agent can use them. `end` withdraws the offer. */
  readonly offer: (
    caller: Caller,
    wire: AgentWire,
    introduced: AgentInfo,
  ) => { readonly servers: readonly ToolServer[]; readonly end: () => void };
  /** Returns the minimum isolation of everything the agent starts here. */
  readonly getFloor: (caller: Caller, wire: AgentWire) => Isolation;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "info" | "error">;
  readonly now?: () => number;
}

/** The conversations, as an agent's connection needs them. */
export interface ConversationRegistry {
  /** Creates a conversation; refused if there are too many. */
  open(agent: ConnectedAgent): Outcome<Conversation>;
  /** Returns this agent's conversations that wait for it to reconnect. */
  takeLost(agent: ConnectedAgent): Conversation[];
  /** Handles the end of a connection. */
  onAgentLeft(agent: ConnectedAgent, why: string): void;
}
