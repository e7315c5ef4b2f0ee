// Owns the host's decisions about people: let in, turn away, limit to watching, remove. Edit links
// may decide too, since a shell could do the same; every decision is in the audit log. Whether a
// local socket needs the code is not decided here [Q44].

import type { Knock } from "../../protocol/room.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, DOORS, toAuditName as whoIs } from "../callers/caller.ts";
import { hasPermission, permissionDenial } from "../callers/permissions.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { Devices } from "./devices.ts";
import type { ModerationResult } from "./moderation-result.ts";
import { refuseIfNotSaved, toAmbiguous, toForbidden } from "./moderation-result.ts";
import type { PresenceTracker } from "./presence-tracker.ts";
import { findPages, findRemoved } from "./person-lookup.ts";
import type { Visitor } from "./visitor.ts";
import { toVisitorId, isHost, sendAway } from "./visitor.ts";

export interface ModerationDeps {
  readonly visitors: Pick<
    PresenceTracker,
    | "admit"
    | "listHere"
    | "listKnocks"
    | "limit"
    | "receivesPresence"
    | "listWaiting"
    | "find"
    | "requiresAdmission"
  >;
  readonly devices: Pick<
    Devices,
    "admit" | "listRemoved" | "isAdmitted" | "limit" | "liftRemoval" | "sendAway" | "getVerdict"
  >;
  readonly grants: Pick<GrantTable, "list" | "lookUp" | "revoke">;
  readonly audit: Pick<AuditLog, "write">;
  readonly onModerated: (decided: ModerationEvent) => void;
}

/** A decision about a person, with the display names of both people. */
export interface ModerationEvent {
  readonly what:
    | "let in"
    | "turned away"
    | "sent away"
    | "kept to watching"
    | "may type again"
    | "may come again";
  readonly who: string;
  readonly by: string;
}

/** Display name for anyone at this machine. */
export const HOST_NAME = "The host";
const HOSTS_PAGE_REFUSAL = "This is the host's own page: only the host can do that";

const UNCHANGED_NOTES = {
  view: "is already limited to watching",
  edit: "can already type",
} as const;

export class Moderation {
  readonly #deps: ModerationDeps;

  constructor(deps: ModerationDeps) {
    this.#deps = deps;
  }

  /** Returns the people who wait to be let in; empty for callers who may not let them in. */
  listKnocks(caller: Caller): Knock[] {
    return hasPermission(caller.grant(), "change") ? this.#deps.visitors.listKnocks() : [];
  }

  /** Whether the caller gets messages about people who wait. */
  receivesKnocks(caller: Caller): boolean {
    return hasPermission(caller.grant(), "change") && this.#deps.visitors.receivesPresence(caller);
  }

  /** Lets in a person who waits, or lifts the removal of a person who was removed. */
  admit(by: Caller, wanted: string): ModerationResult {
    return refuseIfNotSaved(() => this.#admit(by, wanted));
  }

  #admit(by: Caller, wanted: string): ModerationResult {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const waiting = this.#deps.visitors.listWaiting();
    const found = findPages(waiting, wanted, (visitor) => this.#getPersonName(visitor));
    if (found === "several") return toAmbiguous(wanted);
    const [first] = found;
    if (first === undefined) return this.#liftRemoval(by, wanted);
    const called = this.#getPersonName(first);
    const { device, caller } = first;
    if (device !== undefined) this.#deps.devices.admit(device, caller.grantId, called);
    this.#record(by, "let in", called);
    for (const visitor of found) this.#deps.visitors.admit(visitor);
    return { ok: true, personName: called };
  }

  turnAway(by: Caller, wanted: string): ModerationResult {
    return this.#sendAway(by, wanted, this.#deps.visitors.listWaiting(), "turned away");
  }

  remove(by: Caller, wanted: string): ModerationResult {
    return this.#sendAway(by, wanted, this.#deps.visitors.listHere(), "removed");
  }

  setRole(by: Caller, wanted: string, role: "view" | "edit"): ModerationResult {
    return refuseIfNotSaved(() => this.#setRole(by, wanted, role));
  }

  #setRole(by: Caller, wanted: string, role: "view" | "edit"): ModerationResult {
    const about = this.#findRoleTarget(by, wanted, role);
    if ("ok" in about) return about;
    const { found, first, personName, hasEdit } = about;
    if (role === "view" && !hasEdit) {
      const note = `${personName} has a View link and can only watch. Nothing has changed`;
      return { ok: true, personName, note };
    }
    const limit = role === "view" ? "view" : undefined;
    const isUnchanged = found.every((visitor) => this.#getLimit(visitor) === limit);
    if (first.device !== undefined) this.#deps.devices.limit(first.device, limit, personName);
    if (!isUnchanged)
      this.#record(by, role === "view" ? "kept to watching" : "may type again", personName);
    for (const { caller } of found) this.#deps.visitors.limit(caller, limit);
    if (isUnchanged)
      return { ok: true, personName, note: `${personName} ${UNCHANGED_NOTES[role]}` };
    if (hasEdit) return { ok: true, personName, ...this.#toKnocks(first.caller) };
    const note = `${personName} is no longer limited, and has a View link, which cannot type`;
    return { ok: true, personName, note };
  }

  /** Returns the refusal if the person's link rules the role out, so no code is requested. */
  findPermanentRoleRefusal(
    by: Caller,
    wanted: string,
    role: "view" | "edit",
  ): ModerationResult | undefined {
    const about = this.#findRoleTarget(by, wanted, role);
    return "ok" in about && !about.ok && about.code === "forbidden" ? about : undefined;
  }

  /** Returns the removed people, as `pairpty people` lists them. */
  listRemoved(): { readonly id: string; readonly called: string; readonly at: number }[] {
    return this.#deps.devices
      .listRemoved()
      .map(({ hash, called, at }) => ({ id: hash.slice(0, 8), called, at }));
  }

  /** Finds the person whose role would change, or returns the refusal. */
  #findRoleTarget(
    by: Caller,
    wanted: string,
    role: "view" | "edit",
  ):
    | ModerationResult
    | { found: readonly Visitor[]; first: Visitor; personName: string; hasEdit: boolean } {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const found = findPages(this.#others(by), wanted, (visitor) => this.#getPersonName(visitor));
    if (found === "several") return toAmbiguous(wanted);
    const [first] = found;
    if (first === undefined) return this.#toNotFound(by, wanted);
    const called = this.#getPersonName(first);
    if (role === "view" && includesHost(found) && !isHost(by))
      return toForbidden(HOSTS_PAGE_REFUSAL);
    const hasEdit = found.some(
      ({ caller }) => this.#deps.grants.lookUp(caller.grantId)?.role === "edit",
    );
    const isLimited = found.some((visitor) => this.#getLimit(visitor) !== undefined);
    if (role === "view" || hasEdit || isLimited)
      return { found, first, personName: called, hasEdit };
    return toForbidden(`${called} has a View link, which cannot type. They need an Edit link`);
  }

  /** Returns the limit of the page or its browser: a page may be limited before it sent its id. */
  #getLimit({ caller, device }: Visitor): "view" | undefined {
    return caller.status?.limit ?? this.#deps.devices.getVerdict(device).limit;
  }

  #sendAway(
    by: Caller,
    wanted: string,
    among: readonly Visitor[],
    why: "turned away" | "removed",
  ): ModerationResult {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const others = among.filter((visitor) => !this.#isSelf(by, visitor));
    const found = findPages(others, wanted, (visitor) => this.#getPersonName(visitor));
    if (found === "several") return toAmbiguous(wanted);
    const [first] = found;
    if (first === undefined) return this.#toNotFound(by, wanted);
    if (includesHost(found) && !isHost(by)) return toForbidden(HOSTS_PAGE_REFUSAL);
    const called = this.#getPersonName(first);
    const { device, caller } = first;
    if (device !== undefined) this.#deps.devices.sendAway(device, called, caller.grantId);
    this.#record(by, why === "removed" ? "sent away" : "turned away", called);
    // People who wait must not learn names.
    const whose = why === "removed" ? formatActor(by) : undefined;
    for (const visitor of found) sendAway(visitor, why, whose);
    if (device !== undefined) this.#revokeLinks(device);
    return { ok: true, personName: called, ...this.#toKnocks(caller) };
  }

  #toKnocks(caller: Caller): { knocks?: true } {
    return this.#deps.visitors.requiresAdmission(caller) ? { knocks: true } : {};
  }

  /** Revokes the links that a browser remembered. */
  #revokeLinks(hash: string): void {
    const { grants } = this.#deps;
    for (const { id, device } of grants.list()) if (device === hash) grants.revoke(id);
  }

  #liftRemoval(by: Caller, wanted: string): ModerationResult {
    const found = findRemoved(this.#deps.devices.listRemoved(), wanted);
    if (found.length > 1) return toAmbiguous(wanted);
    const [one] = found;
    if (one === undefined) {
      const error = `No one called ${wanted} is waiting to be let in`;
      return { ok: false, code: "not_found", error };
    }
    this.#deps.devices.liftRemoval(one.hash);
    this.#record(by, "may come again", one.called);
    return { ok: true, personName: one.called, isRemovalLifted: true };
  }

  #refusal(by: Caller): ModerationResult | undefined {
    const error = permissionDenial(by, "change");
    return error === undefined ? undefined : toForbidden(error);
  }

  #others(by: Caller): Visitor[] {
    return this.#deps.visitors.listHere().filter((visitor) => !this.#isSelf(by, visitor));
  }

  #isSelf(by: Caller, visitor: Visitor): boolean {
    const self = this.#deps.visitors.find(by);
    return self !== undefined && toVisitorId(self) === toVisitorId(visitor);
  }

  #toNotFound(by: Caller, wanted: string): ModerationResult {
    const self = this.#deps.visitors.find(by);
    if (self !== undefined && toVisitorId(self) === wanted) {
      return {
        ok: false,
        code: "bad_request",
        error: "You cannot change your own access",
      };
    }
    return { ok: false, code: "not_found", error: `No one called ${wanted} is here` };
  }

  #getPersonName({ caller }: Visitor): string {
    return callerDisplayName(caller, this.#deps.grants.lookUp(caller.grantId));
  }

  #record(by: Caller, what: ModerationEvent["what"], called: string): void {
    const { label } = { label: callerDisplayName(by), ...whoIs(by) };
    this.#deps.audit.write({
      event: `person ${what}`,
      grant: by.grantId,
      label: label === "" ? callerDisplayName(by) : label,
      arguments: { person: called },
    });
    this.#deps.onModerated({ what, who: called, by: formatActor(by) });
  }
}

function includesHost(visitors: readonly Visitor[]): boolean {
  return visitors.some(({ caller }) => isHost(caller));
}

/** Returns the display name of the caller; everyone at this machine is the host. */
function formatActor(by: Caller): string {
  return DOORS[by.door.name].trusted ? HOST_NAME : callerDisplayName(by);
}
