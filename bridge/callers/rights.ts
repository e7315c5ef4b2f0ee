// Owns what each role may, and in which sentence the others are told so. The one place that decides it:
// the hub asks it for the `needs` of a dialect or a route, the services for everything else. Pure.

import type { Scope } from "../../protocol/grant.ts";
import type { Grant } from "../grants/table.ts";
import type { Caller } from "./caller.ts";

/** look: what every person's link may. change: what takes an edit link. */
export type Act = "look" | "change";

/** Whom a path over HTTP is for: people who may do that, agents alone, or every live link and token. */
export type Need = Act | "agent" | "nothing";

export function may(grant: Pick<Grant, "role"> | undefined, act: Act): boolean {
  if (grant === undefined || grant.role === "agent") return false;
  return act === "look" || grant.role === "edit";
}

/** Undefined when the caller may; else the sentence that says why not. */
export function whyNot(caller: Caller, act: Act): string | undefined {
  const grant = caller.grant();
  if (may(grant, act)) return undefined;
  if (grant === undefined) return "This link has expired or was revoked";
  if (grant.role === "agent") return "This is for people; agents connect over MCP";
  if (caller.standing?.limit !== undefined)
    return "This browser was limited to watching; ask the host to let you type again";
  return `This link is read-only (role ${grant.role}); ask for an edit link`;
}

/** The same where only agents come in. */
function whyNoAgent(caller: Pick<Caller, "grant">): string | undefined {
  const role = caller.grant()?.role;
  if (role === "agent") return undefined;
  return `This is for agents; the role of this token is ${role ?? "unknown"}`;
}

/** The same for a path over HTTP. */
export function whyNotServed(caller: Caller, need: Need): string | undefined {
  if (need === "nothing") return undefined;
  return need === "agent" ? whyNoAgent(caller) : whyNot(caller, need);
}

/** Of an agent. */
export function hasScope(caller: Pick<Caller, "grant">, scope: Scope): boolean {
  return caller.grant()?.scopes.includes(scope) === true;
}
