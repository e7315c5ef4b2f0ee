// Owns what an agent may do to which terminal. Pure. Identity is the grant.

import type { PoolTerminal } from "../terminals/terminal.ts";
import { isStartedByAgent, lifetimeOf } from "../terminals/terminal.ts";

export const CANNOT_KILL = "Cannot kill visible or user-owned terminals";
export const ANOTHERS = "Terminal belongs to another agent";

/** Running promoted terminals over all agents; without a bound they would fill people's tabs. */
export const MAX_PROMOTED = 10;

/** Undefined when the agent may end it. */
export function whyNotKill(grant: string, { meta }: PoolTerminal): string | undefined {
  if (meta.owner !== "agent" || meta.visible) return CANNOT_KILL;
  return meta.startedBy?.grant === grant ? undefined : ANOTHERS;
}

/** Undefined when the agent may show it to people; showing what is shown already is no mistake. */
export function whyNotPromote(grant: string, { meta, life }: PoolTerminal): string | undefined {
  if (meta.startedBy === undefined) return "Only background agent terminals can be promoted";
  if (meta.startedBy.grant !== grant) return ANOTHERS;
  return life.state === "finished" ? "Terminal has exited" : undefined;
}

/** Undefined while one more of these running terminals may be promoted by an agent. */
export function whyNoMorePromoted(running: readonly PoolTerminal[]): string | undefined {
  const isPromoted = ({ meta }: PoolTerminal) => meta.owner === "user" && isStartedByAgent(meta);
  if (running.filter(isPromoted).length < MAX_PROMOTED) return undefined;
  return `Maximum promoted terminals reached (${MAX_PROMOTED}): ask the user to close one of them`;
}

/** Ends by itself when nothing happens in it. */
export function timesOut({ meta, life }: PoolTerminal): boolean {
  return lifetimeOf(meta) === "background" && life.state === "running";
}
