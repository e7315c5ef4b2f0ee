// Owns which service an agent is attached to: tools are given an agent and nothing else.

import type { SessionTools } from "../sessions/tools.ts";
import type { Agent, TerminalProvider } from "./types.ts";

/** What tools need of an agent's service. */
export interface Attached {
  readonly tools: SessionTools<Agent>;
  readonly provider: () => TerminalProvider;
}

const ATTACHED = new WeakMap<Agent, Attached>();

/** Instead of the service that it was attached to before. */
export function attachTools(agent: Agent, attached: Attached): void {
  ATTACHED.set(agent, attached);
}

/** Unless it is another service's by now. */
export function detachTools(agent: Agent, tools: Attached["tools"]): void {
  if (ATTACHED.get(agent)?.tools === tools) ATTACHED.delete(agent);
}

/** Throws when the agent is attached to no service. */
export function attachedOf(agent: Agent): Attached {
  const attached = ATTACHED.get(agent);
  if (attached !== undefined) return attached;
  throw new Error(`${agent.id} is attached to no terminal service: call attach(agent) first`);
}
