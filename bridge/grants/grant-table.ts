// Owns the bridge's list of grants, the only one that decides. Durable grants are in the state
// folder; session grants live with the pty host's instance, so that a takeover keeps them. Does not
// talk to the room, but fires events. A new durable grant is on disk before it opens anything; an
// ended one stops working immediately and leaves the disk as soon as it can be written
// (workspace/durable-file.ts).

import { join } from "node:path";
import { compact } from "../../protocol/compact.ts";
import type { AgentTerms, GrantRecord, PeopleTerms, Role, Scope } from "../../protocol/grant.ts";
import { ticketGrantId } from "../../protocol/grant.ts";
import { parseText } from "../../protocol/json.ts";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import { UNNAMED_AGENT } from "../../protocol/names.ts";
import { ExitCode, UserError } from "../errors.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import type { FileSystem } from "../workspace/durable-file.ts";
import { DurableFile } from "../workspace/durable-file.ts";
import { removePrivateFile } from "../workspace/private-file.ts";
import type { SessionRecord } from "./grant-records.ts";
import {
  isAlike,
  isExpired,
  isFirstScreens,
  StoredGrants,
  survivesTakeover,
  toRecord,
  toText,
  GrantUses,
  selectKeptRecords,
} from "./grant-records.ts";
import type { NewSecret } from "./token.ts";
import { formatToken, hashToken, matchesHash, newSecret } from "./token.ts";

/** A local agent that reconnects within this time finds its own terminals. */
export const LOCAL_GRACE_MS = 10 * 60_000;

export interface Grant extends GrantRecord {
  /** Whether the grant ends with its bridge; it survives a crash. */
  readonly session: boolean;
  readonly connection?: true;
  readonly local?: string | undefined;
}

export interface NewGrant extends AgentTerms, PeopleTerms {
  readonly role: Role;
  readonly scopes: Scope[];
  readonly label: string;
  readonly expiresAt: number | null;
  readonly session: boolean;
  /** The grant through which this one was made; revoking that one ends this one. */
  readonly madeBy?: string;
  readonly device?: string;
  readonly own?: true;
  /** Makes a sealed link; only a table with `seal` can. */
  readonly sealed?: true;
  /** Set in a sealed room for a link that is readable by the relay. */
  readonly plain?: true;
  /**
   * Whether the grant belongs to one connection on this machine: it ends with it, and a takeover
   * drops it.
   */
  readonly connection?: true;
  /** Name of a local agent, whose grant outlives its connections for a while. */
  readonly local?: string;
}

/** Returns the path of the durable grants. */
export function grantsFile(stateFolder: string): string {
  return join(stateFolder, "grants.json");
}

/** Deletes all durable grants of a folder that no bridge serves. */
export function forgetGrants(stateFolder: string): void {
  removePrivateFile(grantsFile(stateFolder));
}

export interface GrantEvent {
  /** renewed: the expiry changed. */
  readonly event: "granted" | "renewed" | "revoked" | "expired";
  readonly grant: Grant;
}

/** A new grant and its secrets, which are shown once and not stored. */
export interface MintedGrant {
  readonly grant: Grant;
  /** The token by which the relay admits. Of a sealed grant it opens nothing in the bridge. */
  readonly token: string;
  /** The text behind the `#` of the page's address; of a plain grant, the token. */
  readonly link: string;
}

/** Makes a sealed link from a grant's id and secret. */
export type SealLink = (secret: NewSecret) => {
  readonly fragment: string;
  readonly ticket: string;
  readonly psk: string;
};

export interface GrantTableDeps {
  readonly log: Pick<Log, "error" | "info">;
  readonly disk?: FileSystem;
  /** Set in sealed rooms. */
  readonly seal?: SealLink | undefined;
}

const WITHOUT_LOG: GrantTableDeps = { log: { error: () => {}, info: () => {} } };

export class GrantTable {
  /** File of the durable grants; knows whether the last change is on disk. */
  readonly file: DurableFile;
  readonly #now: () => number;
  readonly #seal: SealLink | undefined;
  readonly #grants = new Map<string, Grant>();
  readonly #uses = new GrantUses();
  readonly #events = new Emitter<[GrantEvent]>();
  readonly #sessionChanges = new Emitter<[SessionRecord[]]>();

  constructor(path: string, now: () => number = Date.now, deps: GrantTableDeps = WITHOUT_LOG) {
    const { seal, ...fileDeps } = deps;
    this.file = new DurableFile({ path, what: "links and tokens", now, ...fileDeps });
    this.#now = now;
    this.#seal = seal;
    const text = this.file.read();
    if (text === undefined) return;
    const stored = parseText(StoredGrants, text);
    if (!stored.ok) {
      throw new UserError(
        `${path} cannot be read: ${stored.error}`,
        ExitCode.usage,
        "Repair it, or remove it; removing it ends every link made by `pairpty share`.",
      );
    }
    for (const record of stored.value.grants) {
      this.#grants.set(record.id, { ...record, session: false });
    }
  }

  /** Takes over the session grants that a crashed bridge left with the pty host. */
  adoptSession(records: readonly SessionRecord[]): void {
    for (const { usedAt, ...record } of selectKeptRecords(records)) {
      // A local agent of the crashed bridge gets the usual time to reconnect.
      const lapse = record.local === undefined ? {} : { expiresAt: this.#now() + LOCAL_GRACE_MS };
      this.#grants.set(record.id, { ...record, ...lapse, session: true });
      if (usedAt !== undefined) this.#uses.adopt(record.id, usedAt);
    }
  }

  /**
   * Creates a grant. The only place that returns token and link; only the token's hash and a sealed
   * link's psk are stored. Throws if the grant cannot be saved.
   */
  mint({ sealed, ...request }: NewGrant): MintedGrant {
    this.expire();
    if (this.#grants.size >= MAX_GRANTS) {
      throw new UserError(
        `there are already ${MAX_GRANTS} links and tokens`,
        ExitCode.usage,
        "Revoke some: `pairpty grants` lists them, `pairpty revoke <id>` ends one.",
      );
    }
    const secret = newSecret();
    const { id } = secret;
    const { token, link, psk } = this.#makeLink(secret, sealed === true);
    const hash = hashToken(token);
    const isUnnamed = request.role === "agent" && request.label === "";
    const label = isUnnamed ? this.#agentLabel(id) : request.label;
    const grant: Grant = { id, hash, ...request, label, ...(psk === undefined ? {} : { psk }) };
    this.#saveBefore(grant, "no link or token was made");
    this.#grants.set(id, grant);
    if (grant.session) this.#sessionChanged();
    this.#emit("granted", grant);
    return { grant, token, link };
  }

  #makeLink(
    secret: NewSecret,
    isSealed: boolean,
  ): Pick<MintedGrant, "token" | "link"> & { readonly psk?: string } {
    if (!isSealed) {
      const token = formatToken(secret);
      return { token, link: token };
    }
    // A caller that asks for a sealed link must not get a plain one.
    if (this.#seal === undefined) throw new Error("this room makes no sealed links");
    const { ticket: token, fragment: link, psk } = this.#seal(secret);
    return { token, link, psk };
  }

  /** Ends every sealed grant, and returns how many: their links name a key that is gone. */
  endSealed(): number {
    const sealed = [...this.#grants.values()].filter(({ psk }) => psk !== undefined);
    for (const { id } of sealed) this.revoke(id);
    return sealed.length;
  }

  /**
   * Marks the earlier banner links that are equal to this one. Their tokens are unknown to this
   * bridge, and people may still use them: each stays valid until the new one is revoked.
   */
  replaceEarlier(id: string): void {
    const grant = this.#grants.get(id);
    if (grant === undefined) return;
    const earlier = [...this.#grants.values()].filter(
      (one) => one.id !== id && isFirstScreens(one) && isAlike(one, grant),
    );
    for (const one of earlier) this.#grants.set(one.id, { ...one, replacedBy: id });
    if (earlier.length > 0) this.#sessionChanged();
  }

  /** Returns the default name of an agent at every door, with its id if the name is taken. */
  #agentLabel(id: string): string {
    const isTaken = [...this.#grants.values()].some(({ label }) => label === UNNAMED_AGENT);
    return isTaken ? `${UNNAMED_AGENT} ${id}` : UNNAMED_AGENT;
  }

  /** Changes when a grant expires; null: with its bridge. */
  renew(id: string, expiresAt: number | null): void {
    const grant = this.#grants.get(id);
    if (grant === undefined || grant.expiresAt === expiresAt) return;
    const renewed = { ...grant, expiresAt };
    const isLonger = (expiresAt ?? Infinity) > (grant.expiresAt ?? Infinity);
    if (isLonger) this.#saveBefore(renewed, "nothing was renewed");
    this.#grants.set(id, renewed);
    this.#emit("renewed", renewed);
    if (grant.session) this.#sessionChanged();
    else if (!isLonger) this.#saveAfter();
  }

  /**
   * Ends a grant and those made through it, immediately; false if there is none. `file.unsaved` is
   * set afterwards while the disk is not up to date.
   */
  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    this.#end("revoked", [grant, ...this.#listDerived(id)]);
    return true;
  }

  /** Marks grants as retired; they stay in the table, so that their holders get the reason. */
  retire(ids: readonly string[]): void {
    const grants = ids.flatMap((id) => this.#grants.get(id) ?? []);
    for (const grant of grants) this.#grants.set(grant.id, { ...grant, retired: true });
    if (grants.some(({ session }) => session)) this.#sessionChanged();
    if (grants.some(({ session }) => !session)) this.#saveAfter();
  }

  /** Ends retired grants, without those made through them. */
  dropRetired(): void {
    const retired = [...this.#grants.values()].filter((grant) => grant.retired === true);
    if (retired.length > 0) this.#end("revoked", retired);
  }

  /** Ends expired grants. `lookUp` checks the time itself. */
  expire(): void {
    const now = this.#now();
    const over = [...this.#grants.values()].filter((grant) => isExpired(grant, now));
    this.#end("expired", over);
  }

  /** Returns the Unix ms of the first expiry, if any grant has one. */
  get nextExpiry(): number | undefined {
    const times = [...this.#grants.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Fires when a grant is made, renewed, revoked or expired. Returns the unsubscribe function. */
  onEvent(listener: (event: GrantEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Fires with all session grants when one changes. Returns the unsubscribe function. */
  onSessionChange(listener: (records: SessionRecord[]) => void): () => void {
    return this.#sessionChanges.add(listener);
  }

  /** Returns the grant if it is valid now, and records the use. Called for every message. */
  lookUp(id: string): Grant | undefined {
    const now = this.#now();
    const grant = this.#grants.get(id);
    if (grant === undefined || isExpired(grant, now)) return undefined;
    if (survivesTakeover(grant) && this.#uses.recordUse(id, now)) this.#sessionChanged();
    return grant;
  }

  /** Returns the valid grant whose token this is; undefined if there is none. */
  verify(ticket: string): Grant | undefined {
    const id = ticketGrantId(ticket);
    const grant = id === undefined ? undefined : this.peek(id);
    if (grant === undefined || !matchesHash(ticket, grant.hash)) return undefined;
    return this.lookUp(grant.id);
  }

  /** Returns the grant if it is valid now, and records no use. */
  peek(id: string): Grant | undefined {
    const grant = this.#grants.get(id);
    return grant === undefined || isExpired(grant, this.#now()) ? undefined : grant;
  }

  list(): Grant[] {
    this.expire();
    return [...this.#grants.values()];
  }

  /** Fires the session change again, for a new pty host. */
  republishSession(): void {
    this.#sessionChanged();
  }

  /** Returns all grants derived from this one or replaced by it, recursively. */
  #listDerived(id: string): Grant[] {
    const children = [...this.#grants.values()].filter(
      ({ madeBy, replacedBy }) => madeBy === id || replacedBy === id,
    );
    return children.flatMap((child) => [child, ...this.#listDerived(child.id)]);
  }

  #end(event: "revoked" | "expired", grants: readonly Grant[]): void {
    for (const { id } of grants) {
      this.#grants.delete(id);
      this.#uses.forget(id);
    }
    // Before the disk: the grants are already gone, even if the write fails or a listener throws.
    for (const grant of grants) this.#emit(event, grant);
    if (grants.some(({ session }) => session)) this.#sessionChanged();
    if (grants.some(({ session }) => !session)) this.#saveAfter();
  }

  #emit(event: GrantEvent["event"], grant: Grant): void {
    this.#events.fire({ event, grant });
  }

  #sessionRecord(grant: Grant): SessionRecord {
    const usedAt = this.#uses.getLastUse(grant.id);
    return {
      ...toRecord(grant),
      ...compact({ usedAt, local: grant.local }),
    };
  }

  #sessionChanged(): void {
    const left = [...this.#grants.values()].filter(survivesTakeover);
    this.#sessionChanges.fire(left.map((grant) => this.#sessionRecord(grant)));
  }

  /** Saves a durable grant before it takes effect; throws if the write fails. */
  #saveBefore(grant: Grant, consequence: string): void {
    if (grant.session) return;
    const grants = new Map(this.#grants).set(grant.id, grant);
    this.file.widen(toText(grants.values()), consequence);
  }

  #saveAfter(): void {
    this.file.narrow(toText(this.#grants.values()));
  }
}
