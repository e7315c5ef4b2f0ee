// Owns what each role may do, and the text of a refusal. The only place that decides it: the hub
// checks the rights of dialects and routes here, services everything else. Pure.

import type { Scope } from "../../protocol/grant.ts";
import type { Grant } from "../grants/table.ts";
import type { Caller } from "./caller.ts";

/** look: allowed to every person's link. change: needs an edit link. */
export type Act = "look" | "change";

/** Access to an HTTP path: people with that right, agents only, or any live link or token. */
export type Need = Act | "agent" | "nothing";

export function may(grant: Pick<Grant, "role"> | undefined, act: Act): boolean {
  if (grant === undefined || grant.role === "agent") return false;
  return act === "look" || grant.role === "edit";
}

/** Returns why the caller is refused; undefined if it is allowed. */
export function whyNot(caller: Caller, act: Act): string | undefined {
  const grant = caller.grant();
  if (may(grant, act)) return undefined;
  if (grant === undefined) return "This link has expired or was revoked";
  if (grant.role === "agent") return "Only people can use this; agents connect over MCP";
  if (caller.standing?.limit !== undefined)
    return "This browser was limited to watching; ask the host to let you type again";
  return `This link is read-only (role ${grant.role}); ask for an edit link`;
}

/** Returns why a caller that is not an agent is refused. */
function whyNoAgent(caller: Pick<Caller, "grant">): string | undefined {
  const role = caller.grant()?.role;
  if (role === "agent") return undefined;
  return `Only agents can use this; the role of this token is ${role ?? "unknown"}`;
}

/** Returns why a caller may not use an HTTP path; undefined if it may. */
export function whyNotServed(caller: Caller, need: Need): string | undefined {
  if (need === "nothing") return undefined;
  return need === "agent" ? whyNoAgent(caller) : whyNot(caller, need);
}

/** Whether an agent's grant includes the scope. */
export function hasScope(caller: Pick<Caller, "grant">, scope: Scope): boolean {
  return caller.grant()?.scopes.includes(scope) === true;
}
