// Owns the bridge's own list of grants, the only one that decides. Durable grants are kept in the
// state folder; session grants live with the pty host's instance, so a takeover has them too.
// Does not talk to the room: it tells those who listen who was let in, and who no longer is.
// A new durable grant is on the disk before it opens anything; one that ends does so at once, and is
// taken off the disk as soon as that can be written (workspace/durable-file.ts).

import { join } from "node:path";
import * as z from "zod/mini";
import type { AgentTerms, PeopleTerms, Role, Scope } from "../../protocol/grant.ts";
import { GrantRecord } from "../../protocol/grant.ts";
import { parseText } from "../../protocol/json.ts";
import { MAX_GRANTS } from "../../protocol/limits.ts";
import { UNNAMED_AGENT } from "../../protocol/names.ts";
import { ExitCode, UserError } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import type { Log } from "../log.ts";
import type { Disk } from "../workspace/durable-file.ts";
import { DurableFile } from "../workspace/durable-file.ts";
import { removePrivateFile } from "../workspace/private-file.ts";
import { newToken } from "./token.ts";
import type { SessionRecord } from "./uses.ts";
import { Uses, worthKeeping } from "./uses.ts";

const StoredGrants = z.object({ version: z.literal(1), grants: z.array(GrantRecord) });

/** A local agent that reconnects within this time finds its own terminals. */
export const LOCAL_GRACE_MS = 10 * 60_000;

export interface Grant extends GrantRecord {
  /** Ends with the bridge, unless a crash ended it. */
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
  /** The grant by which it was made: it ends when that is revoked. */
  readonly madeBy?: string;
  readonly device?: string;
  readonly own?: true;
  /** Of a connection on this machine: it ends with that, and no next bridge gets it. */
  readonly connection?: true;
  /** Of an agent on this machine, by its name: it outlives its connections for a while. */
  readonly local?: string;
}

/** Where the durable ones are kept. */
export function grantsFile(stateFolder: string): string {
  return join(stateFolder, "grants.json");
}

/** Ends every durable grant of a folder that no bridge serves. */
export function forgetGrants(stateFolder: string): void {
  removePrivateFile(grantsFile(stateFolder));
}

export interface GrantEvent {
  /** renewed: it ends at another time. */
  readonly event: "granted" | "renewed" | "revoked" | "expired";
  readonly grant: Grant;
}

export interface GrantTableDeps {
  readonly log: Pick<Log, "error" | "info">;
  readonly disk?: Disk;
}

const WITHOUT_LOG: GrantTableDeps = { log: { error: () => {}, info: () => {} } };

export class GrantTable {
  /** Where durable grants are kept; says whether the last change is on the disk. */
  readonly file: DurableFile;
  readonly #now: () => number;
  readonly #grants = new Map<string, Grant>();
  readonly #uses = new Uses();
  readonly #events = new Listeners<[GrantEvent]>();
  readonly #sessionChanges = new Listeners<[SessionRecord[]]>();

  constructor(path: string, now: () => number = Date.now, deps: GrantTableDeps = WITHOUT_LOG) {
    this.file = new DurableFile({ path, what: "links and tokens", now, ...deps });
    this.#now = now;
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

  /** The session grants that a crashed bridge left with the pty host. */
  adoptSession(records: readonly SessionRecord[]): void {
    for (const { usedAt, ...record } of worthKeeping(records)) {
      // Who was connected to a bridge that crashed comes back, or does not.
      const lapse = record.local === undefined ? {} : { expiresAt: this.#now() + LOCAL_GRACE_MS };
      this.#grants.set(record.id, { ...record, ...lapse, session: true });
      if (usedAt !== undefined) this.#uses.adopt(record.id, usedAt);
    }
  }

  /** Returns the token, this once. Throws where the grant cannot be kept: then there is none. */
  mint(request: NewGrant): { grant: Grant; token: string } {
    this.expire();
    if (this.#grants.size >= MAX_GRANTS) {
      throw new UserError(
        `there are ${MAX_GRANTS} links and tokens already`,
        ExitCode.usage,
        "Revoke some: `pairpty grants` lists them, `pairpty revoke <id>` ends one.",
      );
    }
    const { id, token, hash } = newToken();
    const isUnnamed = request.role === "agent" && request.label === "";
    const label = isUnnamed ? this.#agentLabel(id) : request.label;
    const grant: Grant = { id, hash, ...request, label };
    this.#keepFirst(grant, "no link or token was made");
    this.#grants.set(id, grant);
    if (grant.session) this.#sessionChanged();
    this.#tell("granted", grant);
    return { grant, token };
  }

  /**
   * Marks the grants of earlier first screens that are like this one. Their tokens are not known any more,
   * and people still use them: each stays valid until the new one is revoked.
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

  /** One name for an agent at every door and in the log; with its id where another has it. */
  #agentLabel(id: string): string {
    const isTaken = [...this.#grants.values()].some(({ label }) => label === UNNAMED_AGENT);
    return isTaken ? `${UNNAMED_AGENT} ${id}` : UNNAMED_AGENT;
  }

  /** It ends then, or with its bridge. */
  renew(id: string, expiresAt: number | null): void {
    const grant = this.#grants.get(id);
    if (grant === undefined || grant.expiresAt === expiresAt) return;
    const renewed = { ...grant, expiresAt };
    const isLonger = (expiresAt ?? Infinity) > (grant.expiresAt ?? Infinity);
    if (isLonger) this.#keepFirst(renewed, "nothing was renewed");
    this.#grants.set(id, renewed);
    this.#tell("renewed", renewed);
    if (grant.session) this.#sessionChanged();
    else if (!isLonger) this.#keepEnded();
  }

  /**
   * Ends a grant, and those made by it, at once. False when there is no such grant. `file.unsaved` says
   * afterwards whether the disk knows.
   */
  revoke(id: string): boolean {
    const grant = this.#grants.get(id);
    if (grant === undefined) return false;
    this.#end("revoked", [grant, ...this.#madeBy(id)]);
    return true;
  }

  /** Ends what has run out; `lookUp` does not wait for it. */
  expire(): void {
    const now = this.#now();
    const over = [...this.#grants.values()].filter((grant) => isExpired(grant, now));
    this.#end("expired", over);
  }

  /** Unix ms of the first expiry, if any grant has one. */
  get nextExpiry(): number | undefined {
    const times = [...this.#grants.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Who is let in, and who no longer is, from now on. Returns the end of it. */
  onEvent(listener: (event: GrantEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** The session grants whenever they change, for the pty host to keep. Returns the end of it. */
  onSessionChange(listener: (records: SessionRecord[]) => void): () => void {
    return this.#sessionChanges.add(listener);
  }

  /** The grant, if it is valid now. Asked for every message; all that is remembered is that it was. */
  lookUp(id: string): Grant | undefined {
    const now = this.#now();
    const grant = this.#grants.get(id);
    if (grant === undefined || isExpired(grant, now)) return undefined;
    if (isLeft(grant) && this.#uses.used(id, now)) this.#sessionChanged();
    return grant;
  }

  list(): Grant[] {
    this.expire();
    return [...this.#grants.values()];
  }

  /** Tells the session grants once more, to a pty host that has none. */
  tellSession(): void {
    this.#sessionChanged();
  }

  /** All grants derived from this one or replaced by it, recursively. */
  #madeBy(id: string): Grant[] {
    const children = [...this.#grants.values()].filter(
      ({ madeBy, replacedBy }) => madeBy === id || replacedBy === id,
    );
    return children.flatMap((child) => [child, ...this.#madeBy(child.id)]);
  }

  #end(event: "revoked" | "expired", grants: readonly Grant[]): void {
    for (const { id } of grants) {
      this.#grants.delete(id);
      this.#uses.forget(id);
    }
    // First: it ends even where it cannot be written down. No listener can keep it from being so.
    for (const grant of grants) this.#tell(event, grant);
    if (grants.some(({ session }) => session)) this.#sessionChanged();
    if (grants.some(({ session }) => !session)) this.#keepEnded();
  }

  #tell(event: GrantEvent["event"], grant: Grant): void {
    this.#events.tell({ event, grant });
  }

  #sessionRecord(grant: Grant): SessionRecord {
    const usedAt = this.#uses.of(grant.id);
    return {
      ...toRecord(grant),
      ...(usedAt === undefined ? {} : { usedAt }),
      ...(grant.local === undefined ? {} : { local: grant.local }),
    };
  }

  #sessionChanged(): void {
    const left = [...this.#grants.values()].filter(isLeft);
    this.#sessionChanges.tell(left.map((grant) => this.#sessionRecord(grant)));
  }

  /** Puts a durable grant on the disk before it counts; throws where that fails. */
  #keepFirst(grant: Grant, consequence: string): void {
    if (grant.session) return;
    const grants = new Map(this.#grants).set(grant.id, grant);
    this.file.widen(toText(grants.values()), consequence);
  }

  #keepEnded(): void {
    this.file.narrow(toText(this.#grants.values()));
  }
}

/** The durable ones, as the file has them. */
function toText(grants: Iterable<Grant>): string {
  const durable = [...grants].filter(({ session }) => !session);
  return `${JSON.stringify({ version: 1, grants: durable.map(toRecord) }, null, 2)}\n`;
}

/** The next bridge gets it. */
function isLeft(grant: Grant): boolean {
  return grant.session && grant.connection !== true;
}

/** Whether a first screen showed it: the other session grants are of connections and local agents. */
function isFirstScreens({ session, connection, local, madeBy, device, expiresAt }: Grant): boolean {
  const isOthers = [connection, local, madeBy, device].some((mark) => mark !== undefined);
  return session && !isOthers && expiresAt === null;
}

function isAlike(one: Grant, other: Grant): boolean {
  if (one.role !== other.role || one.own !== other.own) return false;
  const isUnnamed = (label: string) => label === "" || label.startsWith(UNNAMED_AGENT);
  return one.label === other.label || (isUnnamed(one.label) && isUnnamed(other.label));
}

function isExpired(grant: GrantRecord, now: number): boolean {
  return grant.expiresAt !== null && grant.expiresAt <= now;
}

/** What the next bridge gets beside it is said where it is kept. */
function toRecord({
  session: _session,
  connection: _connection,
  local: _local,
  ...record
}: Grant): GrantRecord {
  return record;
}
