// Owns which role may send which message of the pty dialect. Pure.

import type { Role } from "../../../protocol/grant.ts";
import type { PtyRequest } from "../../../protocol/pty.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";

/** Undefined when allowed; else the sentence that says why not. */
export function whyNot(role: Role, type: PtyRequest["type"]): string | undefined {
  switch (type) {
    case "pty:attach":
    case "pty:detach":
    case "pty:ack":
    case "pty:view":
      return role === "agent" ? "Agents have no place among people's sockets" : undefined;
    case "pty:input":
    case "pty:resize":
    case "pty:close":
    case "pty:drive":
    case "pty:ask":
    case "pty:give":
      return role === "edit"
        ? undefined
        : `This link is read-only (role ${role}); ask for an edit link`;
  }
}

/** Input reaches the user's own terminals only; an agent's becomes one by promotion. */
export function whyNoInput(terminal: PoolTerminal): string | undefined {
  if (terminal.life.state === "finished") return "Session has ended";
  return terminal.meta.owner === "user" ? undefined : "Input goes to user terminals only";
}
