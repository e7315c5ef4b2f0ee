// Owns the host's decisions about people: let in, turn away, limit to watching, remove. Edit links
// may decide too, since a shell could do the same; every decision is in the audit log. Whether a
// local socket needs the code is not decided here [Q44].

import type { ErrorCode } from "../../protocol/codes.ts";
import { calledBy, firstWord } from "../../protocol/names.ts";
import type { Knock } from "../../protocol/room.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { calledOf, DOORS, nameOf, who as whoIs } from "../callers/caller.ts";
import { may, whyNot } from "../callers/rights.ts";
import type { GrantTable } from "../grants/table.ts";
import { NotSaved } from "../workspace/durable-file.ts";
import type { Devices } from "./devices.ts";
import type { Visitors } from "./visitors.ts";
import type { Visitor } from "./visitor.ts";
import { idOf, isHost, sendAway } from "./visitor.ts";

export interface HostingParts {
  readonly visitors: Pick<
    Visitors,
    "admit" | "here" | "knocks" | "limit" | "listens" | "waiting" | "of"
  >;
  readonly devices: Pick<
    Devices,
    "admit" | "away" | "isAdmitted" | "limit" | "pardon" | "sendAway" | "verdictOn"
  >;
  readonly grants: Pick<GrantTable, "list" | "lookUp" | "revoke">;
  readonly audit: Pick<AuditLog, "write">;
  readonly onDecided: (decided: Decided) => void;
}

/** A decision about a person, with the display names of both people. */
export interface Decided {
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
export const THE_HOST = "The host";
const HOSTS_PAGE = "This is the host's own page: only the host can do that";

const SO_ALREADY = { view: "is already limited to watching", edit: "can already type" } as const;

export type Decision =
  | {
      readonly ok: true;
      readonly called: string;
      readonly isPardoned?: true;
      /** Explains the result where it is not what the caller would expect. */
      readonly note?: string;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly error: string;
      /** Present with `not_saved`: the same error for the host's own window. */
      readonly notSaved?: NotSaved;
    };

export class Hosting {
  readonly #parts: HostingParts;

  constructor(parts: HostingParts) {
    this.#parts = parts;
  }

  /** Returns the people who wait to be let in; empty for callers who may not let them in. */
  knocks(caller: Caller): Knock[] {
    return may(caller.grant(), "change") ? this.#parts.visitors.knocks() : [];
  }

  /** Whether the caller gets messages about people who wait. */
  hearsKnocks(caller: Caller): boolean {
    return may(caller.grant(), "change") && this.#parts.visitors.listens(caller);
  }

  /** Lets in a person who waits, or lifts the removal of a person who was removed. */
  admit(by: Caller, wanted: string): Decision {
    return orNotSaved(() => this.#admit(by, wanted));
  }

  #admit(by: Caller, wanted: string): Decision {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const waiting = this.#parts.visitors.waiting();
    const found = find(waiting, wanted, (visitor) => this.#called(visitor));
    if (found === "several") return several(wanted);
    const [first] = found;
    if (first === undefined) return this.#pardon(by, wanted);
    const called = this.#called(first);
    const { device, caller } = first;
    if (device !== undefined) this.#parts.devices.admit(device, caller.grantId, called);
    this.#note(by, "let in", called);
    for (const visitor of found) this.#parts.visitors.admit(visitor);
    return { ok: true, called };
  }

  turnAway(by: Caller, wanted: string): Decision {
    return this.#send(by, wanted, this.#parts.visitors.waiting(), "turned away");
  }

  remove(by: Caller, wanted: string): Decision {
    return this.#send(by, wanted, this.#parts.visitors.here(), "removed");
  }

  setRole(by: Caller, wanted: string, role: "view" | "edit"): Decision {
    return orNotSaved(() => this.#setRole(by, wanted, role));
  }

  #setRole(by: Caller, wanted: string, role: "view" | "edit"): Decision {
    const about = this.#roleOf(by, wanted, role);
    if ("ok" in about) return about;
    const { found, first, called, hasEdit } = about;
    if (role === "view" && !hasEdit) {
      const note = `${called} has a View link and can only watch. Nothing has changed`;
      return { ok: true, called, note };
    }
    const limit = role === "view" ? "view" : undefined;
    const isSo = found.every((visitor) => this.#limitOf(visitor) === limit);
    if (first.device !== undefined) this.#parts.devices.limit(first.device, limit, called);
    if (!isSo) this.#note(by, role === "view" ? "kept to watching" : "may type again", called);
    for (const { caller } of found) this.#parts.visitors.limit(caller, limit);
    if (isSo) return { ok: true, called, note: `${called} ${SO_ALREADY[role]}` };
    if (hasEdit) return { ok: true, called };
    const note = `${called} is no longer limited, and has a View link, which cannot type`;
    return { ok: true, called, note };
  }

  /** Returns the refusal if the person's link rules the role out, so no code is requested. */
  whyNeverRole(by: Caller, wanted: string, role: "view" | "edit"): Decision | undefined {
    const about = this.#roleOf(by, wanted, role);
    return "ok" in about && !about.ok && about.code === "forbidden" ? about : undefined;
  }

  /** Returns the removed people, as `pairpty people` lists them. */
  away(): { readonly id: string; readonly called: string; readonly at: number }[] {
    return this.#parts.devices
      .away()
      .map(({ hash, called, at }) => ({ id: hash.slice(0, 8), called, at }));
  }

  /** Finds the person whose role would change, or returns the refusal. */
  #roleOf(
    by: Caller,
    wanted: string,
    role: "view" | "edit",
  ): Decision | { found: readonly Visitor[]; first: Visitor; called: string; hasEdit: boolean } {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const found = find(this.#others(by), wanted, (visitor) => this.#called(visitor));
    if (found === "several") return several(wanted);
    const [first] = found;
    if (first === undefined) return this.#nobody(by, wanted);
    const called = this.#called(first);
    if (role === "view" && areOfHost(found) && !isHost(by)) return refused(HOSTS_PAGE);
    const hasEdit = found.some(
      ({ caller }) => this.#parts.grants.lookUp(caller.grantId)?.role === "edit",
    );
    const isLimited = found.some((visitor) => this.#limitOf(visitor) !== undefined);
    if (role === "view" || hasEdit || isLimited) return { found, first, called, hasEdit };
    return refused(`${called} has a View link, which cannot type. They need an Edit link`);
  }

  /** Returns the limit of the page or its browser: a page may be limited before it sent its id. */
  #limitOf({ caller, device }: Visitor): "view" | undefined {
    return caller.standing?.limit ?? this.#parts.devices.verdictOn(device).limit;
  }

  #send(
    by: Caller,
    wanted: string,
    among: readonly Visitor[],
    why: "turned away" | "removed",
  ): Decision {
    const refusal = this.#refusal(by);
    if (refusal !== undefined) return refusal;
    const others = among.filter((visitor) => !this.#isSelf(by, visitor));
    const found = find(others, wanted, (visitor) => this.#called(visitor));
    if (found === "several") return several(wanted);
    const [first] = found;
    if (first === undefined) return this.#nobody(by, wanted);
    if (areOfHost(found) && !isHost(by)) return refused(HOSTS_PAGE);
    const called = this.#called(first);
    if (first.device !== undefined) this.#parts.devices.sendAway(first.device, called);
    this.#note(by, why === "removed" ? "sent away" : "turned away", called);
    // People who wait must not learn names.
    const whose = why === "removed" ? actorOf(by) : undefined;
    for (const visitor of found) sendAway(visitor, why, whose);
    if (first.device !== undefined) this.#endLinksOf(first.device);
    return { ok: true, called };
  }

  /** Revokes the links that a browser remembered. */
  #endLinksOf(hash: string): void {
    const { grants } = this.#parts;
    for (const { id, device } of grants.list()) if (device === hash) grants.revoke(id);
  }

  #pardon(by: Caller, wanted: string): Decision {
    const away = wanted === "" ? [] : this.#parts.devices.away();
    const whole = away.filter(
      ({ hash, called }) => hash.startsWith(wanted) || isOf(called, wanted),
    );
    const first = away.filter(({ called }) => isOf(firstWord(called) ?? "", wanted));
    const found = whole.length > 0 ? whole : first;
    if (found.length > 1) return several(wanted);
    const [one] = found;
    if (one === undefined) {
      const error = `No one called ${wanted} is waiting to be let in`;
      return { ok: false, code: "not_found", error };
    }
    this.#parts.devices.pardon(one.hash);
    this.#note(by, "may come again", one.called);
    return { ok: true, called: one.called, isPardoned: true };
  }

  #refusal(by: Caller): Decision | undefined {
    const error = whyNot(by, "change");
    return error === undefined ? undefined : refused(error);
  }

  #others(by: Caller): Visitor[] {
    return this.#parts.visitors.here().filter((visitor) => !this.#isSelf(by, visitor));
  }

  #isSelf(by: Caller, visitor: Visitor): boolean {
    const self = this.#parts.visitors.of(by);
    return self !== undefined && idOf(self) === idOf(visitor);
  }

  #nobody(by: Caller, wanted: string): Decision {
    const self = this.#parts.visitors.of(by);
    if (self !== undefined && idOf(self) === wanted) {
      return {
        ok: false,
        code: "bad_request",
        error: "You cannot change your own access",
      };
    }
    return { ok: false, code: "not_found", error: `No one called ${wanted} is here` };
  }

  #called({ caller }: Visitor): string {
    const link = this.#parts.grants.lookUp(caller.grantId);
    return calledBy(caller.standing?.name, link === undefined ? "someone" : nameOf(link));
  }

  #note(by: Caller, what: Decided["what"], called: string): void {
    const { label } = { label: calledOf(by), ...whoIs(by) };
    this.#parts.audit.write({
      event: `person ${what}`,
      grant: by.grantId,
      label: label === "" ? calledOf(by) : label,
      arguments: { person: called },
    });
    this.#parts.onDecided({ what, who: called, by: actorOf(by) });
  }
}

function areOfHost(visitors: readonly Visitor[]): boolean {
  return visitors.some(({ caller }) => isHost(caller));
}

/** Returns the display name of the caller; everyone at this machine is the host. */
function actorOf(by: Caller): string {
  return DOORS[by.door.name].isTheHosts ? THE_HOST : calledOf(by);
}

/** Runs `decide`; returns a refusal if the change could not be saved first. */
function orNotSaved(decide: () => Decision): Decision {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof NotSaved)) throw error;
    return { ok: false, code: "not_saved", error: error.pageMessage, notSaved: error };
  }
}

function refused(error: string): Extract<Decision, { ok: false }> {
  return { ok: false, code: "forbidden", error };
}

/** Finds one person's pages by id, start of the id, name, its first word, or display name. */
function find(
  among: readonly Visitor[],
  wanted: string,
  calledOfOne: (visitor: Visitor) => string,
): readonly Visitor[] | "several" {
  if (wanted === "") return [];
  const exact = among.filter((visitor) => idOf(visitor) === wanted);
  if (exact.length > 0) return exact;
  const isWanted = (name: string | undefined) => name?.toLowerCase() === wanted.toLowerCase();
  const named = among.filter((visitor) => {
    const { standing } = visitor.caller;
    const names = [standing?.name, visitor.caller.grant()?.label, calledOfOne(visitor)];
    return names.some(isWanted) || idOf(visitor).startsWith(wanted);
  });
  // A full name takes precedence over the first word of another.
  const found =
    named.length > 0
      ? named
      : among.filter(({ caller }) => isWanted(firstWord(caller.standing?.name)));
  return new Set(found.map(idOf)).size > 1 ? "several" : found;
}

/** Whether `wanted` is the whole display name, or the name or label in it. */
function isOf(called: string, wanted: string): boolean {
  const [whole, part] = [called.toLowerCase(), wanted.toLowerCase()];
  return whole === part || whole.startsWith(`${part} (`) || whole.endsWith(` (${part})`);
}

function several(wanted: string): Decision {
  const error = `${wanted} matches several people here; use the id that \`pairpty people\` shows`;
  return { ok: false, code: "bad_request", error };
}
