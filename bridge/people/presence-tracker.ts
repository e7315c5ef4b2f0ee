// Owns the people at the room's sockets: who is in and who waits, and each one's name, terminal in
// view and typing. Who has to wait is in admission-rules.ts; letting in and removing are in
// moderation.ts.

import { hasType, parseJson } from "../../protocol/json.ts";
import type { Knock, Person } from "../../protocol/room.ts";
import { toText } from "../../protocol/text.ts";
import { cleanName, DEVICE_PATTERN } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import type { Gate, GateDenial, GateVerdict } from "../callers/gate.ts";
import type { GrantSource, Hub } from "../callers/hub.ts";
import { logErrors } from "../faults.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import { AdmissionRules } from "./admission-rules.ts";
import type { Devices } from "./devices.ts";
import { hashDevice } from "./devices.ts";
import { KnockQueue } from "./knock-queue.ts";
import { scheduleUnref } from "../schedule.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { TypingTracker } from "./typing-tracker.ts";
import type { Visitor } from "./visitor.ts";
import { toKnockRows, toPersonRows, sendMessage, sendAway } from "./visitor.ts";

/** A waiting client that never sends a hello is announced after this long. */
const ANNOUNCE_SILENT_MS = 1_000;

const ADMISSION_REQUIRED = "people now wait until someone lets them in";
const OTHER_DEVICE_MESSAGE =
  "This page has already sent its browser's id. Open the link again to use another";

export interface Hello {
  readonly device?: string | undefined;
  readonly name?: string | undefined;
}

/** `changed`: the people here or waiting, or one's name, terminal in view or typing, changed. */
export type VisitorEvent =
  | { readonly event: "knocked" | "admitted" | "named"; readonly visitor: Visitor }
  | { readonly event: "changed" };

export interface PresenceTrackerDeps {
  readonly hub: Pick<Hub, "pass" | "rightsChanged">;
  readonly grants: Pick<GrantSource, "lookUp">;
  readonly devices: Pick<Devices, "getVerdict" | "isAdmitted" | "hasRestrictions">;
  readonly viewers: {
    findByCaller(
      caller: Caller,
    ): { readonly number: number; readonly attached: ReadonlyMap<string, unknown> } | undefined;
  };
  readonly terminal: (id: string) => Pick<PoolTerminal, "meta"> | undefined;
  /** Whether everyone but the host's own page has to wait, whatever their link. */
  readonly isAdmissionRequired: boolean;
  readonly log: Pick<Log, "error">;
  readonly now?: () => number;
  readonly schedule?: (action: () => void, milliseconds: number) => () => void;
}

export class PresenceTracker implements Gate {
  readonly name = "knock";
  readonly #deps: PresenceTrackerDeps;
  readonly #now: () => number;
  readonly #schedule: (action: () => void, milliseconds: number) => () => void;
  readonly #here = new Map<Caller, Visitor>();
  readonly #knocks: KnockQueue<Visitor>;
  readonly #events = new Emitter<[VisitorEvent]>();
  readonly #admission: AdmissionRules;
  readonly #typing: TypingTracker;

  constructor(deps: PresenceTrackerDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    this.#schedule = deps.schedule ?? scheduleUnref;
    this.#admission = new AdmissionRules(deps.devices, deps.isAdmissionRequired);
    this.#typing = new TypingTracker({
      now: this.#now,
      schedule: this.#schedule,
      onPaused: () => this.#events.fire({ event: "changed" }),
    });
    this.#knocks = new KnockQueue({
      now: this.#now,
      onKnocked: (visitor) => this.#events.fire({ event: "knocked", visitor }),
    });
  }

  /** Fires on every change of the people; `people` and `knocks` return the current state. */
  onEvent(listener: (event: VisitorEvent) => void): () => void {
    return this.#events.add(logErrors(this.#deps.log, "a listener for people events", listener));
  }

  dispose(): void {
    for (const { typing } of this.#here.values()) typing?.forget();
  }

  check(caller: Caller): GateVerdict {
    return this.#admission.check(caller);
  }

  onWaiting(caller: Caller): void {
    if (this.#knocks.has(caller)) return sendMessage(caller, { type: "room:waiting" });
    // A sealed caller that was in knocks again after a new handshake.
    if (this.#here.has(caller)) this.onLeave(caller);
    const visitor = this.#createVisitor(caller);
    if (!this.#knocks.add(visitor)) {
      sendMessage(caller, { type: "room:away", why: "full" });
      return caller.close({
        why: "full",
        message: "too many people are waiting to be let in; try again later",
      });
    }
    sendMessage(caller, { type: "room:waiting" });
    this.#schedule(() => this.#announce(visitor), ANNOUNCE_SILENT_MS);
    return this.#events.fire({ event: "changed" });
  }

  /** Handles messages of a caller that waits: only a hello counts. */
  receive(caller: Caller, payload: Uint8Array): void {
    const visitor = this.#knocks.get(caller);
    const parsed = visitor === undefined ? undefined : parseJson(toText(payload));
    if (parsed?.ok !== true || !hasType(parsed.value) || parsed.value.type !== "room:hello") return;
    if (!this.#knocks.countHello(caller)) return;
    const { device, name } = parsed.value;
    const isDevice = typeof device === "string" && DEVICE_PATTERN.test(device);
    this.onHello(caller, {
      device: isDevice ? device : undefined,
      name: typeof name === "string" ? name.slice(0, 400) : undefined,
    });
  }

  onLeave(caller: Caller): void {
    this.#knocks.remove(caller);
    this.#here.get(caller)?.typing?.forget();
    this.#here.delete(caller);
    this.#events.fire({ event: "changed" });
  }

  requestDenial(caller: Caller, request: Request): GateDenial | undefined {
    return this.#admission.requestDenial(caller, request);
  }

  /** Whether another browser has to wait with the caller's link. */
  requiresAdmission({ grantId }: Caller): boolean {
    const grant = this.#deps.grants.lookUp(grantId);
    return grant !== undefined && this.#admission.requiresAdmission(grant);
  }

  /** Adds a caller that is in, or is in again after a cut. */
  onJoined(caller: Caller): void {
    if (!this.#here.has(caller)) {
      const visitor = this.#knocks.remove(caller) ?? this.#createVisitor(caller);
      this.#here.set(caller, visitor);
    }
    this.#events.fire({ event: "changed" });
  }

  /** Lets in a visitor that waits. */
  admit(visitor: Visitor): void {
    this.#events.fire({ event: "admitted", visitor });
    this.#deps.hub.pass(visitor.caller, this);
  }

  /** Handles a hello with the caller's identity, while it waits or inside. */
  onHello(caller: Caller, { device, name }: Hello): void {
    const visitor = this.find(caller) ?? this.#knocks.get(caller);
    if (visitor === undefined) return undefined;
    const deviceHash = device === undefined ? visitor.device : hashDevice(device);
    if (visitor.device !== undefined && deviceHash !== visitor.device) {
      return sendMessage(caller, {
        type: "room:error",
        code: "forbidden",
        error: OTHER_DEVICE_MESSAGE,
      });
    }
    visitor.device = deviceHash;
    visitor.lastMessageAt = this.#now();
    visitor.receivesPresence = true;
    const { limit, isAway } = this.#deps.devices.getVerdict(visitor.device);
    if (isAway === true) return sendAway(visitor, "turned away");
    const before = caller.status?.limit;
    const newName = cleanName(name) ?? caller.status?.name;
    // A hello gives no more rights, except to callers that became unknown by a restart.
    const isUnverified = this.#admission.isUnverified(caller);
    const isKnown = isUnverified && this.#admission.isKnown(caller.grant(), visitor.device);
    if (isUnverified && !isKnown && visitor.device !== undefined) {
      return caller.close({ why: "knocks", message: ADMISSION_REQUIRED });
    }
    if (isKnown) this.#admission.markVerified(caller);
    caller.status = { name: newName, limit: isKnown ? limit : (before ?? limit) };
    if (this.#knocks.has(caller)) return this.#onKnock(visitor);
    if (caller.status.limit !== before) this.#deps.hub.rightsChanged(caller);
    if (newName !== undefined) this.#events.fire({ event: "named", visitor });
    return this.#events.fire({ event: "changed" });
  }

  rename(caller: Caller, name: string): void {
    caller.status = { ...caller.status, name: cleanName(name) };
    const visitor = this.find(caller);
    if (visitor === undefined) return;
    visitor.lastMessageAt = this.#now();
    this.#events.fire({ event: "named", visitor });
    this.#events.fire({ event: "changed" });
  }

  setLooking(caller: Caller, id: string | null): void {
    const visitor = this.find(caller);
    if (visitor === undefined || visitor.looking === id) return;
    visitor.looking = id;
    visitor.lastMessageAt = this.#now();
    this.#events.fire({ event: "changed" });
  }

  /** Fires `changed` on attach or detach, if the page does not send which terminal it shows. */
  onAttachmentsChanged(caller: Caller): void {
    if (this.find(caller)?.looking === undefined) this.#events.fire({ event: "changed" });
  }

  /** Fires `changed` when a terminal became private or visible again. */
  onVisibilityChanged(): void {
    this.#events.fire({ event: "changed" });
  }

  /** Marks the caller as typing. Hot path (every keystroke): usually returns early. */
  markTyping(caller: Caller, id: string): void {
    const visitor = this.#here.get(caller);
    if (visitor === undefined) return;
    if (this.#typing.mark(visitor, id)) this.#events.fire({ event: "changed" });
  }

  /** Limits or restores the right to type for as long as this socket lasts. */
  limit(caller: Caller, limit: "view" | undefined): void {
    this.#admission.markVerified(caller);
    if (caller.status?.limit === limit) return;
    caller.status = { ...caller.status, limit };
    this.#deps.hub.rightsChanged(caller);
    this.#events.fire({ event: "changed" });
  }

  receivesPresence(caller: Caller): boolean {
    return this.#here.get(caller)?.receivesPresence === true;
  }

  find(caller: Caller): Visitor | undefined {
    return this.#here.get(caller);
  }

  listHere(): Visitor[] {
    return [...this.#here.values()];
  }

  listWaiting(): Visitor[] {
    return this.#knocks.list();
  }

  /** Returns one row per person. */
  listPeople(): Person[] {
    return toPersonRows(this.listHere(), this.#deps);
  }

  listKnocks(): Knock[] {
    return toKnockRows(this.listWaiting(), this.#deps.grants);
  }

  #createVisitor(caller: Caller): Visitor {
    return {
      caller,
      number: this.#deps.viewers.findByCaller(caller)?.number ?? 0,
      device: undefined,
      looking: undefined,
      typing: undefined,
      typedAt: 0,
      receivesPresence: false,
      lastMessageAt: this.#now(),
    };
  }

  #onKnock(visitor: Visitor): void {
    const grant = visitor.caller.grant();
    if (grant !== undefined && this.#admission.isAdmitted(grant, visitor.device)) {
      return this.admit(visitor);
    }
    this.#announce(visitor);
    return this.#events.fire({ event: "changed" });
  }

  #announce(visitor: Visitor): void {
    if (this.#knocks.has(visitor.caller)) this.#knocks.announce(visitor);
  }
}
