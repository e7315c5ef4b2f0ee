// Owns counting a local agent's program as an agent's code from its first question on: it can reach
// the sockets of this machine without having started anything.

import type { ApprovalDesk } from "../approvals/desk.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { Widening } from "../callers/widening.ts";

/** Returns how to stop. */
export function countLocalQuestions(
  desk: Pick<ApprovalDesk, "onEvent">,
  grants: Pick<GrantSource, "lookUp">,
  widening: Pick<Widening, "agentRan">,
): () => void {
  return desk.onEvent((event) => {
    if (event.type !== "approval:requested") return;
    if (grants.lookUp(event.approval.agent.grant)?.local !== undefined) widening.agentRan();
  });
}
