// Owns which terminals an agent may kill or promote. Pure. The grant is the identity.

import type { PoolTerminal } from "../terminals/terminal.ts";
import { isStartedByAgent, getLifetime } from "../terminals/terminal.ts";

export const CANNOT_KILL = "Cannot kill visible or user-owned terminals";
export const BELONGS_TO_ANOTHER_AGENT = "Terminal belongs to another agent";

/** Limit for running promoted terminals of all agents, which would otherwise fill people's tabs. */
export const MAX_PROMOTED = 10;

/** Undefined if the agent may kill the terminal; else the reason. */
export function killDenial(grant: string, { meta }: PoolTerminal): string | undefined {
  if (meta.owner !== "agent" || meta.visible) return CANNOT_KILL;
  return meta.startedBy?.grant === grant ? undefined : BELONGS_TO_ANOTHER_AGENT;
}

/** Undefined if the agent may promote the terminal, or already has; else the reason. */
export function promoteDenial(grant: string, { meta, life }: PoolTerminal): string | undefined {
  if (meta.startedBy === undefined) return "Only background agent terminals can be promoted";
  if (meta.startedBy.grant !== grant) return BELONGS_TO_ANOTHER_AGENT;
  return life.state === "finished" ? "Terminal has exited" : undefined;
}

/** Undefined if an agent may promote one more terminal; else the reason. */
export function promotionLimitDenial(running: readonly PoolTerminal[]): string | undefined {
  const isPromoted = ({ meta }: PoolTerminal) => meta.owner === "user" && isStartedByAgent(meta);
  if (running.filter(isPromoted).length < MAX_PROMOTED) return undefined;
  return `Maximum promoted terminals reached (${MAX_PROMOTED}): ask the user to close one of them`;
}

/** Whether the terminal closes after a time without activity. */
export function hasInactivityTimeout({ meta, life }: PoolTerminal): boolean {
  return getLifetime(meta) === "background" && life.state === "running";
}
