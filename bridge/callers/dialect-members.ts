// Owns the registered dialects, who may take part in which, and who does: notifies a dialect when a
// caller joins, leaves or changes rights. One dialect's fault does not stop the others. Does not
// route messages; the hub does.

import { INTERNAL_ERROR, logErrors, logFault } from "../faults.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import type { Caller, Sender } from "./caller.ts";
import type { Audience, Dialect } from "./dialect-interface.ts";
import { hasPermission, permissionDenial } from "./permissions.ts";

/** The grant that dialects last saw, and the dialects that the caller joined. */
interface Membership {
  grant: Grant;
  readonly joined: Set<Dialect>;
}

export class DialectMembers {
  readonly #log: Pick<Log, "error">;
  readonly #dialects = new Set<Dialect>();
  readonly #memberships = new Map<Caller, Membership>();

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  /** Registers a dialect; returns its removal. Throws if two dialects claim the same type. */
  register(dialect: Dialect, audience: Audience): () => void {
    for (const other of this.#dialects) {
      if (!shareTypes(other, dialect)) continue;
      throw new Error(`the dialect ${dialect.prefix} shares message types with ${other.prefix}`);
    }
    this.#dialects.add(dialect);
    const end = dialect.onRegister?.(audience);
    return () => {
      end?.();
      this.#dialects.delete(dialect);
    };
  }

  find(type: string): Dialect | undefined {
    for (const dialect of this.#dialects) if (ownsType(dialect, type)) return dialect;
    return undefined;
  }

  /** Returns the dialect that was registered first, which answers messages of no dialect. */
  get first(): Dialect | undefined {
    const [first] = this.#dialects;
    return first;
  }

  /** Joins an admitted caller to its dialects; again after the link was down. */
  join(caller: Caller, grant: Grant): void {
    const joined = this.#memberships.get(caller)?.joined ?? new Set();
    this.#memberships.set(caller, { grant, joined });
    this.#forEach(caller, (dialect) => {
      if (!participates(dialect, caller, caller.grant())) return;
      joined.add(dialect);
      dialect.onJoin?.(caller);
    });
  }

  /** Reports changed rights of an admitted caller to the dialects. */
  rightsChanged(caller: Caller): void {
    const membership = this.#memberships.get(caller);
    if (membership === undefined) return;
    const { grant: before, joined } = membership;
    membership.grant = caller.grant() ?? before;
    this.#forEach(caller, (dialect) => {
      if (!participates(dialect, caller, caller.grant())) {
        if (joined.delete(dialect)) dialect.onLeave?.(caller, "barred");
      } else if (joined.has(dialect)) {
        dialect.onRightsChange?.(caller, before);
      } else {
        joined.add(dialect);
        dialect.onJoin?.(caller);
      }
    });
  }

  /** Removes a caller that disconnected. */
  remove(caller: Caller): void {
    const joined = this.#memberships.get(caller)?.joined;
    this.#memberships.delete(caller);
    this.#forEach(caller, (dialect) => {
      if (joined?.delete(dialect) === true) dialect.onLeave?.(caller, "gone");
    });
  }

  /** Logs an exception and answers the caller with `internal`. */
  reportFault(caller: Caller, dialect: Dialect, error: unknown, id?: string): void {
    logFault(this.#log, `${dialect.prefix} for ${caller.grantId}`, error);
    logErrors(this.#log, "reporting a fault", () =>
      caller.send(dialect.error("internal", INTERNAL_ERROR, id)),
    )();
  }

  /** Calls `act` for each dialect at the caller's door; one that throws does not stop the others. */
  #forEach(caller: Caller, act: (dialect: Dialect) => void): void {
    for (const dialect of this.#dialects) {
      if (!dialect.doors.includes(caller.door.name)) continue;
      try {
        act(dialect);
      } catch (error) {
        this.reportFault(caller, dialect, error);
      }
    }
  }
}

/** Whether a caller with this grant sends and receives the dialect's messages. */
export function participates(
  dialect: Dialect,
  { door }: Caller,
  grant: Grant | undefined,
): boolean {
  const { doors, requires: act } = dialect;
  return doors.includes(door.name) && (act === undefined || hasPermission(grant, act));
}

/** Returns why the sender may not use the dialect; undefined if it may. */
export function dialectDenial({ caller, grant }: Sender, dialect: Dialect): string | undefined {
  if (participates(dialect, caller, grant)) return undefined;
  const { doors, requires: act } = dialect;
  // A limited browser gets the same answer everywhere: another link would not help.
  const isLimited = caller.status?.limit !== undefined && doors.includes(caller.door.name);
  if (isLimited && act !== undefined) return permissionDenial(caller, act, grant);
  return dialect.unavailableMessage ?? `${dialect.prefix} messages are only available in the page`;
}

function ownsType({ prefix, types }: Dialect, type: string): boolean {
  return type.startsWith(prefix) || types?.includes(type) === true;
}

/** True if both claim some type. A prefix stands for the shortest type that starts with it. */
function shareTypes(one: Dialect, other: Dialect): boolean {
  const claimedTypes = ({ prefix, types = [] }: Dialect) => [prefix, ...types];
  return (
    claimedTypes(one).some((type) => ownsType(other, type)) ||
    claimedTypes(other).some((type) => ownsType(one, type))
  );
}
