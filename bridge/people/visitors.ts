// Owns the people at the room's sockets: who is in and who waits, and each one's name, terminal in
// view and typing. Decides who has to wait; letting in and removing is hosting.ts.

import type { Knock, Person } from "../../protocol/room.ts";
import {
  SENT_AWAY_SENTENCE,
  cleanName,
  DEVICE_HEADER,
  DEVICE_PATTERN,
} from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import { DOORS } from "../callers/caller.ts";
import type { GrantSource, Hub, Threshold } from "../callers/hub.ts";
import type { Message } from "../callers/reading.ts";
import { unfailing } from "../faults.ts";
import type { Grant } from "../grants/table.ts";
import { Listeners } from "../listeners.ts";
import type { Log } from "../log.ts";
import type { Devices } from "./devices.ts";
import { hashOf } from "./devices.ts";
import { Knocks } from "./knocks.ts";
import { afterwards } from "./gathering.ts";
import { knockRows, personRows } from "./rows.ts";
import type { Visitor } from "./visitor.ts";
import { say, sendAway } from "./visitor.ts";

/** A person who pauses for longer is not typing. */
const TYPING_MS = 3_000;

/** A waiting client that never sends a hello is announced after this long. */
const SILENT_MS = 1_000;

const WAITING_SENTENCE = "The host has not let this browser in";
const KNOCKS_NOW = "people now wait until someone lets them in";
const OTHER_DEVICE =
  "This page has already sent its browser's id. Open the link again to use another";

export interface Hello {
  readonly device?: string | undefined;
  readonly name?: string | undefined;
}

/** `changed`: the people here or waiting, or one's name, terminal in view or typing, changed. */
export type VisitorEvent =
  | { readonly event: "knocked" | "admitted" | "named"; readonly visitor: Visitor }
  | { readonly event: "changed" };

export interface VisitorsParts {
  readonly hub: Pick<Hub, "admit" | "changed" | "isWaiting">;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly devices: Pick<Devices, "verdictOn" | "isAdmitted" | "judgesAnybody">;
  readonly viewers: {
    of(
      caller: Caller,
    ): { readonly number: number; readonly attached: ReadonlyMap<string, unknown> } | undefined;
  };
  /** Whether everyone but the host's own page has to wait, whatever their link. */
  readonly isKnockOn: boolean;
  readonly log: Pick<Log, "error">;
  readonly now?: () => number;
  readonly later?: (action: () => void, milliseconds: number) => () => void;
}

export class Visitors implements Threshold {
  readonly #parts: VisitorsParts;
  readonly #now: () => number;
  readonly #later: (action: () => void, milliseconds: number) => () => void;
  readonly #here = new Map<Caller, Visitor>();
  readonly #knocks: Knocks<Visitor>;
  readonly #events = new Listeners<[VisitorEvent]>();
  /**
   * Callers that an earlier bridge let in; this bridge does not know what its host had decided
   * about them.
   */
  readonly #doubted = new WeakSet<Caller>();

  constructor(parts: VisitorsParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#later = parts.later ?? afterwards;
    this.#knocks = new Knocks({
      now: this.#now,
      onKnocked: (visitor) => this.#events.tell({ event: "knocked", visitor }),
    });
  }

  /** Fires on every change of the people; `people` and `knocks` return the current state. */
  onEvent(listener: (event: VisitorEvent) => void): () => void {
    return this.#events.add(unfailing(this.#parts.log, "a listener for people events", listener));
  }

  dispose(): void {
    for (const { typing } of this.#here.values()) typing?.forget();
  }

  /**
   * Whether the caller has to wait. Windows on this machine and the host's own page never do.
   * Callers let in by an earlier bridge may only watch until they identify themselves, if they may
   * have been limited or removed, or if people have to wait now.
   */
  holds(caller: Caller): boolean {
    const grant = caller.grant();
    const { listens, isTheHosts } = DOORS[caller.door.name];
    if (!listens || isTheHosts || grant === undefined || grant.own === true) return false;
    const doesKnock = this.#doesKnock(grant);
    if (caller.wasIn !== true && doesKnock) return true;
    const isOld = caller.wasIn === true || caller.wasThere === true;
    if (isOld && (doesKnock || this.#parts.devices.judgesAnybody())) {
      this.#doubted.add(caller);
      caller.standing = { ...caller.standing, limit: "view" };
    }
    return false;
  }

  waits(caller: Caller): void {
    if (this.#knocks.has(caller)) return say(caller, { type: "room:waiting" });
    const visitor = this.#visitor(caller);
    if (!this.#knocks.come(visitor)) {
      say(caller, { type: "room:away", why: "full" });
      return caller.close({
        why: "full",
        sentence: "too many people are waiting to be let in; try again later",
      });
    }
    say(caller, { type: "room:waiting" });
    this.#later(() => this.#announce(visitor), SILENT_MS);
    return this.#events.tell({ event: "changed" });
  }

  /** Handles messages of a caller that waits: only a hello counts. */
  heard(caller: Caller, message: Message): void {
    const visitor = this.#knocks.get(caller);
    if (visitor === undefined || message.type !== "room:hello") return;
    if (!this.#knocks.maySpeak(caller)) return;
    const { device, name } = message;
    const isDevice = typeof device === "string" && DEVICE_PATTERN.test(device);
    this.hello(caller, {
      device: isDevice ? device : undefined,
      name: typeof name === "string" ? name.slice(0, 400) : undefined,
    });
  }

  left(caller: Caller): void {
    this.#knocks.leave(caller);
    this.#here.get(caller)?.typing?.forget();
    this.#here.delete(caller);
    this.#events.tell({ event: "changed" });
  }

  /** Returns why a request is refused: a link that requires admission serves admitted browsers. */
  whyNotServe(caller: Caller, request: Request): string | undefined {
    const grant = caller.grant();
    if (caller.door.name !== "http" || grant === undefined || grant.role === "agent") {
      return undefined;
    }
    const given = request.headers.get(DEVICE_HEADER) ?? "";
    const device = DEVICE_PATTERN.test(given) ? hashOf(given) : undefined;
    const { isAway, limit } = this.#parts.devices.verdictOn(device);
    if (isAway === true) return SENT_AWAY_SENTENCE;
    if (this.#doesKnock(grant) && !this.#isLetIn(grant, device)) return WAITING_SENTENCE;
    caller.standing = { limit };
    return undefined;
  }

  /** Adds a caller that is in, or is in again after a cut. */
  joined(caller: Caller): void {
    if (!this.#here.has(caller)) {
      const visitor = this.#knocks.leave(caller) ?? this.#visitor(caller);
      this.#here.set(caller, visitor);
    }
    this.#events.tell({ event: "changed" });
  }

  /** Lets in a visitor that waits. */
  admit(visitor: Visitor): void {
    this.#events.tell({ event: "admitted", visitor });
    this.#parts.hub.admit(visitor.caller);
  }

  /** Handles a hello with the caller's identity, while it waits or inside. */
  hello(caller: Caller, { device, name }: Hello): void {
    const visitor = this.of(caller) ?? this.#knocks.get(caller);
    if (visitor === undefined) return undefined;
    const said = device === undefined ? visitor.device : hashOf(device);
    if (visitor.device !== undefined && said !== visitor.device) {
      return say(caller, { type: "room:error", code: "forbidden", error: OTHER_DEVICE });
    }
    visitor.device = said;
    visitor.at = this.#now();
    visitor.listens = true;
    const { limit, isAway } = this.#parts.devices.verdictOn(visitor.device);
    if (isAway === true) return sendAway(visitor, "turned away");
    const before = caller.standing?.limit;
    const called = cleanName(name) ?? caller.standing?.name;
    // A hello gives no more rights, except to callers that became unknown by a restart.
    const isDoubted = this.#doubted.has(caller);
    const isKnown = isDoubted && this.#isKnown(visitor);
    if (isDoubted && !isKnown && visitor.device !== undefined) {
      return caller.close({ why: "knocks", sentence: KNOCKS_NOW });
    }
    if (isKnown) this.#doubted.delete(caller);
    caller.standing = { name: called, limit: isKnown ? limit : (before ?? limit) };
    if (this.#knocks.has(caller)) return this.#knocked(visitor);
    if (caller.standing.limit !== before) this.#parts.hub.changed(caller);
    if (called !== undefined) this.#events.tell({ event: "named", visitor });
    return this.#events.tell({ event: "changed" });
  }

  rename(caller: Caller, name: string): void {
    caller.standing = { ...caller.standing, name: cleanName(name) };
    const visitor = this.of(caller);
    if (visitor === undefined) return;
    visitor.at = this.#now();
    this.#events.tell({ event: "named", visitor });
    this.#events.tell({ event: "changed" });
  }

  looks(caller: Caller, id: string | null): void {
    const visitor = this.of(caller);
    if (visitor === undefined || visitor.looking === id) return;
    visitor.looking = id;
    visitor.at = this.#now();
    this.#events.tell({ event: "changed" });
  }

  /** Fires `changed` on attach or detach, if the page does not send which terminal it shows. */
  moved(caller: Caller): void {
    if (this.of(caller)?.looking === undefined) this.#events.tell({ event: "changed" });
  }

  /** Marks the caller as typing. Hot path (every keystroke): usually returns early. */
  typed(caller: Caller, id: string): void {
    const visitor = this.#here.get(caller);
    if (visitor === undefined) return;
    visitor.typedAt = visitor.at = this.#now();
    if (visitor.typing?.id === id) return;
    visitor.typing?.forget();
    this.#awaitPause(visitor, id, TYPING_MS);
    this.#events.tell({ event: "changed" });
  }

  /** Limits or restores the right to type for as long as this socket lasts. */
  limit(caller: Caller, limit: "view" | undefined): void {
    this.#doubted.delete(caller);
    if (caller.standing?.limit === limit) return;
    caller.standing = { ...caller.standing, limit };
    this.#parts.hub.changed(caller);
    this.#events.tell({ event: "changed" });
  }

  listens(caller: Caller): boolean {
    return this.#here.get(caller)?.listens === true;
  }

  of(caller: Caller): Visitor | undefined {
    return this.#here.get(caller);
  }

  here(): Visitor[] {
    return [...this.#here.values()];
  }

  waiting(): Visitor[] {
    return this.#knocks.all();
  }

  /** Returns one row per person. */
  people(): Person[] {
    const { grants, viewers } = this.#parts;
    return personRows(this.here(), grants, viewers);
  }

  knocks(): Knock[] {
    return knockRows(this.waiting(), this.#parts.grants);
  }

  #visitor(caller: Caller): Visitor {
    return {
      caller,
      number: this.#parts.viewers.of(caller)?.number ?? 0,
      device: undefined,
      looking: undefined,
      typing: undefined,
      typedAt: 0,
      listens: false,
      at: this.#now(),
    };
  }

  #doesKnock({ knock, device, own }: Grant): boolean {
    if (own === true) return false;
    // A browser's remembered link must not work in another browser.
    return this.#parts.isKnockOn || knock === true || device !== undefined;
  }

  #isLetIn(grant: Grant, device: string | undefined): boolean {
    if (device !== undefined && grant.device === device) return true;
    return this.#parts.devices.isAdmitted(device, grant.id);
  }

  #isKnown({ caller, device }: Visitor): boolean {
    const grant = caller.grant();
    if (grant === undefined || device === undefined) return false;
    return !this.#doesKnock(grant) || this.#isLetIn(grant, device);
  }

  #knocked(visitor: Visitor): void {
    const grant = visitor.caller.grant();
    if (grant !== undefined && this.#isLetIn(grant, visitor.device)) {
      return this.admit(visitor);
    }
    this.#announce(visitor);
    return this.#events.tell({ event: "changed" });
  }

  #announce(visitor: Visitor): void {
    if (this.#knocks.has(visitor.caller)) this.#knocks.announce(visitor);
  }

  #awaitPause(visitor: Visitor, id: string, milliseconds: number): void {
    const look = (): void => {
      const left = visitor.typedAt + TYPING_MS - this.#now();
      if (left > 0) return this.#awaitPause(visitor, id, left);
      visitor.typing = undefined;
      return this.#events.tell({ event: "changed" });
    };
    visitor.typing = { id, forget: this.#later(look, milliseconds) };
  }
}
