// Owns who is let in: the list that the bridge sends, and the check of a ticket against it.
// Keeps hashes and doors alone. What a grant may do behind its doors is the bridge's business.

import type { GoneHow } from "../../protocol/codes.ts";
import { GONE_REASONS } from "../../protocol/codes.ts";
import type { GrantsUpdate, RoomGrant } from "../../protocol/grant.ts";
import { toRoomGrant } from "../../protocol/grant.ts";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import type { Ticket } from "../edge/token.ts";
import type { GoneGrant, Records } from "./records.ts";

/** Enough for everybody who might come back by an old link; some 100 bytes each. */
const MOST_GONE = 100;
/** The bridge's clock and ours. */
const CLOCKS_APART_MS = 2_000;

export class GrantList {
  readonly #records: Pick<Records, "grants" | "gone">;
  #grants: readonly RoomGrant[];
  /** The newest last. */
  #gone: readonly GoneGrant[];
  #dirty = false;
  #isEnding = false;

  constructor(records: Pick<Records, "grants" | "gone">) {
    this.#records = records;
    this.#grants = records.grants.map(toRoomGrant);
    this.#gone = records.gone;
  }

  /** The bridge ends on purpose: what goes from now on goes with it. */
  set isEnding(isEnding: boolean) {
    this.#isEnding = isEnding;
  }

  get all(): readonly RoomGrant[] {
    return this.#grants;
  }

  /** False when there would be too many. Takes effect on sockets only with `settle`. */
  update(update: GrantsUpdate): boolean {
    const grants = updateGrants(this.#grants, update);
    if (grants.length > MAX_GRANTS) return false;
    // A whole list leaves out what ended while nobody could tell us.
    this.#bury(grants, this.#isEnding || update.replace ? "ended" : "revoked");
    this.#grants = grants;
    this.#dirty = true;
    return true;
  }

  /**
   * Drops what has expired and stores the list, if an update or an alarm asked for it. Called
   * after all frames of a message: a list that comes in pieces cuts nobody off in between.
   */
  settle(now: number, isDue = this.#dirty): boolean {
    if (!isDue) return false;
    this.#dirty = false;
    const left = this.#grants.filter((grant) => !isExpired(grant, now));
    this.#bury(left, "expired", now);
    this.#grants = left;
    this.#records.grants = this.#grants;
    if (this.#records.gone !== this.#gone) this.#records.gone = this.#gone;
    return true;
  }

  /** How the grant of this ticket went; undefined where nothing is known of it. */
  howGone({ grant, hash }: Ticket): GoneHow | undefined {
    const found = this.#gone.findLast(({ id }) => id === grant);
    return found !== undefined && sameText(found.hash, hash) ? found.how : undefined;
  }

  /** Of somebody who is here by it. */
  whyGone(id: string): string {
    const how = this.#gone.findLast((one) => one.id === id)?.how;
    return GONE_REASONS[how ?? "revoked"];
  }

  /** Remembers who is not among those that are left. */
  #bury(left: readonly RoomGrant[], how: GoneHow, now = Date.now()): void {
    const ids = new Set(left.map(({ id }) => id));
    const went = this.#grants.filter(({ id }) => !ids.has(id));
    if (went.length === 0) return;
    // The bridge takes one off its list in the moment that it runs out, perhaps before we notice.
    const told = went.map((grant) => {
      const { id, hash } = grant;
      return { id, hash, how: isExpired(grant, now + CLOCKS_APART_MS) ? "expired" : how } as const;
    });
    this.#gone = [...this.#gone, ...told].slice(-MOST_GONE);
  }

  has(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id);
  }

  /** It is good, and opens this door. */
  opens(id: string, door: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.doors.includes(door));
  }

  /** Whoever came by it may type. */
  speaks(id: string): boolean {
    return this.#grants.some((grant) => grant.id === id && grant.speaks);
  }
}

export function updateGrants(
  grants: readonly RoomGrant[],
  update: GrantsUpdate,
): readonly RoomGrant[] {
  const kept = new Map<string, RoomGrant>();
  if (!update.replace) for (const grant of grants) kept.set(grant.id, grant);
  for (const told of update.add) kept.set(told.id, toRoomGrant(told));
  for (const id of update.remove) kept.delete(id);
  return [...kept.values()];
}

export function findGrant(
  grants: readonly RoomGrant[],
  ticket: Ticket | undefined,
  now: number,
): RoomGrant | undefined {
  if (ticket === undefined) return undefined;
  const grant = grants.find((candidate) => candidate.id === ticket.grant);
  if (grant === undefined || isExpired(grant, now)) return undefined;
  return sameText(grant.hash, ticket.hash) ? grant : undefined;
}

export function isExpired(grant: RoomGrant, now: number): boolean {
  return grant.expiresAt !== null && grant.expiresAt <= now;
}

/** Unix ms of the first expiry, if any grant has one. */
export function nextExpiry(grants: readonly RoomGrant[]): number | undefined {
  const times = grants.map((grant) => grant.expiresAt).filter((at) => at !== null);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Takes as long for a near miss as for a wild guess. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}
