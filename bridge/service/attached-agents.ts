// Owns which service an agent is attached to, since tools get only the agent.

import type { SessionTools } from "../sessions/session-tools.ts";
import type { Agent, TerminalProvider } from "./types.ts";

/** The part of a service that tools need. */
export interface AttachedService {
  readonly tools: SessionTools<Agent>;
  readonly provider: () => TerminalProvider;
}

const ATTACHED = new WeakMap<Agent, AttachedService>();

/** Attaches the agent, replacing an earlier service. */
export function attachTools(agent: Agent, attached: AttachedService): void {
  ATTACHED.set(agent, attached);
}

/** Detaches the agent, unless another service has taken over. */
export function detachTools(agent: Agent, tools: AttachedService["tools"]): void {
  if (ATTACHED.get(agent)?.tools === tools) ATTACHED.delete(agent);
}

/** Returns the agent's attachment. Throws if there is none. */
export function getAttached(agent: Agent): AttachedService {
  const attached = ATTACHED.get(agent);
  if (attached !== undefined) return attached;
  throw new Error(`${agent.id} is not attached to a terminal service: call attach(agent) first`);
}
