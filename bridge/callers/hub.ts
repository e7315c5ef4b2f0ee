// Owns the single entry point: every door opens its callers here. The hub looks up the grant on
// every message, closes callers whose grant ends, routes messages to dialects by type and keeps one
// caller's fault from the others. Gates are asked in gate-passage.ts, requests served in routes.ts,
// joining and leaving a dialect is in dialect-members.ts. Knows no dialect's messages and no door's
// transport.

import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import { hasType, parseJson } from "../../protocol/json.ts";
import { toText } from "../../protocol/text.ts";
import { logFault, logErrors } from "../faults.ts";
import type { Grant, GrantEvent } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import { errorResponse } from "./json-response.ts";
import type { Caller, CloseReason } from "./caller.ts";
import { DOORS } from "./caller.ts";
import type { Dialect } from "./dialect-interface.ts";
import { dialectDenial, DialectMembers, participates } from "./dialect-members.ts";
import type { Gate, GateVerdict } from "./gate.ts";
import { GatePassage } from "./gate-passage.ts";
import { formatLate, LateNotices } from "./late-notices.ts";
import type { Message } from "./message-parsing.ts";
import { getMessageId, quoteType } from "./message-parsing.ts";
import { MessageRate, TOO_MANY_MESSAGES } from "./message-rate.ts";
import type { Route } from "./routes.ts";
import { Routes } from "./routes.ts";
import type { ElevationGate } from "./elevation-gate.ts";

const NOT_OPEN_MESSAGE = "This request was not admitted";

/** The part of the grant table that the hub uses. */
export interface GrantSource {
  lookUp(id: string): Grant | undefined;
  onEvent(listener: (event: GrantEvent) => void): () => void;
}

export class Hub {
  readonly #log: Log;
  readonly #callers = new Set<Caller>();
  /** Those that every gate let pass: kept beside the gates, since every message asks. */
  readonly #open = new Set<Caller>();
  readonly #passage: GatePassage;
  readonly #dialects: DialectMembers;
  readonly #routes = new Routes();
  readonly #unsubscribe: () => void;
  readonly #elevationGate: Pick<ElevationGate, "recordAgentCall" | "checkCode"> | undefined;
  readonly #lateNotices = new LateNotices();
  readonly #rate = new MessageRate();
  #isStopping = false;

  constructor(
    grants: GrantSource,
    log: Log,
    gate?: Pick<ElevationGate, "recordAgentCall" | "checkCode">,
  ) {
    this.#log = log;
    this.#passage = new GatePassage(log);
    this.#dialects = new DialectMembers(log);
    this.#elevationGate = gate;
    this.#unsubscribe = grants.onEvent(({ event, grant }) => {
      if (event === "revoked" || event === "expired") this.#onGrantEnded(grant, event);
    });
  }

  /** Marks the bridge as stopping: callers closed after this get "ended" as their reason. */
  markStopping(): void {
    this.#isStopping = true;
  }

  dispose(): void {
    this.#unsubscribe();
  }

  /**
   * Registers a dialect; returns its removal. Order matters: the first dialect answers unknown
   * message types. Throws if two dialects claim the same type.
   */
  registerDialect(dialect: Dialect): () => void {
    return this.#dialects.register(dialect, {
      send: (message, isFor = () => true) =>
        this.broadcast(
          message,
          (caller, grant) => participates(dialect, caller, grant) && isFor(caller, grant),
        ),
      hasMembers: () =>
        this.listAdmitted().some((caller) => participates(dialect, caller, caller.grant())),
    });
  }

  /** Adds a gate behind those that exist; every caller must pass them all. */
  addGate(gate: Gate): void {
    this.#passage.add(gate);
  }

  /** Registers a route; returns its removal. Throws if its path overlaps with another route. */
  registerRoute(route: Route): () => void {
    return this.#routes.register(route);
  }

  /**
   * Registers a caller and returns its removal. Asks the gates; closes the caller if one refuses it
   * or its grant has already ended.
   */
  open(caller: Caller): () => void {
    this.#callers.add(caller);
    this.#admit(caller, this.#passage.enter(caller));
    return () => this.#leave(caller);
  }

  /** Asks the gates again for a caller that stayed while the link was down, and greets it. */
  announce(caller: Caller): void {
    if (!this.#callers.has(caller)) return;
    const verdict = this.#passage.recheck(caller);
    if (verdict.is === "passed") return this.#greet(caller);
    this.#open.delete(caller);
    if (verdict.is === "refused") this.#refuse(caller, verdict.reason);
    return undefined;
  }

  /** Lets a caller that waits at `gate` go on to the next one. */
  pass(caller: Caller, gate: Gate): void {
    const verdict = this.#passage.leaveGate(caller, gate);
    if (verdict !== undefined) this.#admit(caller, verdict);
  }

  #admit(caller: Caller, verdict: GateVerdict): void {
    if (verdict.is === "refused") return this.#refuse(caller, verdict.reason);
    if (verdict.is === "waiting") return undefined;
    // Recorded here because every caller passes here, and before anything is served.
    if (caller.grant()?.role === "agent") this.#elevationGate?.recordAgentCall();
    return this.#greet(caller);
  }

  #refuse(caller: Caller, reason: CloseReason): void {
    this.#callers.delete(caller);
    this.#open.delete(caller);
    this.#closeFor(caller, reason);
  }

  /** Announces a caller to the dialects. */
  #greet(caller: Caller): void {
    const grant = caller.grant();
    if (grant === undefined) return this.#close(caller, "revoked");
    this.#open.add(caller);
    if (DOORS[caller.door.name].receivesBroadcasts) this.#dialects.join(caller, grant);
    return undefined;
  }

  /** Reports changed rights of an admitted caller to the dialects. */
  rightsChanged(caller: Caller): void {
    this.#dialects.rightsChanged(caller);
  }

  isWaiting(caller: Caller): boolean {
    return this.#passage.isWaiting(caller);
  }

  /** Whether every gate let the caller pass, and it is still connected. */
  isOpen(caller: Caller): boolean {
    return this.#callers.has(caller) && !this.#passage.isWaiting(caller);
  }

  /** Returns all admitted callers, at any door; waiting ones are left out. */
  listAdmitted(): Caller[] {
    return [...this.#callers].filter((caller) => !this.#passage.isWaiting(caller));
  }

  /** Handles a caller's message. `isLate`: it was queued while this machine was asleep. */
  handleMessage(caller: Caller, payload: Uint8Array, isLate = false): void {
    if (!this.#callers.has(caller)) return undefined;
    // The only look-up on the way of a message: everything up to the first await decides by it.
    const grant = caller.grant();
    if (grant === undefined) return this.#close(caller, "revoked");
    if (!this.#open.has(caller)) return this.#passage.receive(caller, payload);
    const text = toText(payload);
    const parsed = parseJson(text);
    if (!parsed.ok) return this.#sendBadRequest(caller, "The message is not JSON");
    const message = parsed.value;
    if (!hasType(message)) {
      return this.#sendBadRequest(caller, "The message is not an object with a type");
    }
    const dialect = this.#dialects.find(message.type);
    if (dialect === undefined) {
      const errorText = `Unknown message type: ${quoteType(message)}`;
      return this.#sendBadRequest(caller, errorText, getMessageId(message));
    }
    const sender = { caller, grant };
    const refusal = dialectDenial(sender, dialect) ?? this.#codeDenial(caller, dialect, message);
    if (refusal !== undefined) {
      return caller.send(dialect.error("forbidden", refusal, getMessageId(message)));
    }
    if (isLate && dialect.lateSafeTypes?.includes(message.type) !== true) {
      return this.#dropLate(caller, dialect, message);
    }
    const isWithinLimit =
      dialect.limit === undefined || this.#rate.tryTake(caller, dialect.limit, message.type);
    if (!isWithinLimit) {
      return caller.send(dialect.error("too_many", TOO_MANY_MESSAGES, getMessageId(message)));
    }
    try {
      const done = dialect.onMessage(sender, message, text);
      if (done !== undefined) {
        done.catch((error: unknown) =>
          this.#dialects.reportFault(caller, dialect, error, getMessageId(message)),
        );
      }
    } catch (error) {
      this.#dialects.reportFault(caller, dialect, error, getMessageId(message));
    }
    return undefined;
  }

  /** Serves a request; undefined if the path has no route. Exceptions are the door's to answer. */
  async request(caller: Caller, request: Request): Promise<Response | undefined> {
    if (!this.isOpen(caller)) return errorResponse("unauthorized", NOT_OPEN_MESSAGE);
    const denial = this.#passage.requestDenial(caller, request);
    if (denial !== undefined) return errorResponse(denial.code, denial.error);
    return await this.#routes.serve(caller, request);
  }

  /** Sends a message to all admitted callers at listening doors for whom `isFor` returns true. */
  broadcast(message: string, isFor: (caller: Caller, grant: Grant) => boolean = () => true): void {
    const groups = new Map<Caller["door"], Caller[]>();
    for (const caller of this.#callers) {
      if (!DOORS[caller.door.name].receivesBroadcasts || this.#passage.isWaiting(caller)) continue;
      const grant = caller.grant();
      if (grant === undefined || !isFor(caller, grant)) continue;
      const group = groups.get(caller.door);
      if (group === undefined) groups.set(caller.door, [caller]);
      else group.push(caller);
    }
    for (const [door, callers] of groups) {
      // A throwing door must not stop the others.
      logErrors(this.#log, `sending to callers at ${door.name}`, () =>
        door.sendAll(callers, message),
      )();
    }
  }

  #dropLate(caller: Caller, dialect: Dialect, message: Message): void {
    const id = getMessageId(message);
    if (!this.#lateNotices.isDue(caller, `${message.type} ${id ?? ""}`, performance.now())) return;
    // Its sender is notified; a host that has just woken up need not read about each message.
    this.#log.info(`${quoteType(message)} from ${caller.grantId} came late; dropped`);
    caller.send(dialect.error("host_asleep", formatLate(message.type), id));
  }

  #leave(caller: Caller): void {
    this.#callers.delete(caller);
    this.#open.delete(caller);
    this.#passage.remove(caller);
    this.#dialects.remove(caller);
  }

  #onGrantEnded({ id }: Grant, why: "revoked" | "expired"): void {
    for (const caller of this.#callers) {
      if (caller.grantId === id) this.#close(caller, why);
    }
  }

  /** Closes a caller. It stays in the list until its door removes it. */
  #close(caller: Caller, why: "revoked" | "expired"): void {
    this.#closeFor(caller, { why, message: LINK_ENDED_REASONS[this.#isStopping ? "ended" : why] });
  }

  #closeFor(caller: Caller, reason: CloseReason): void {
    try {
      caller.close(reason);
    } catch (error) {
      logFault(this.#log, `closing a caller at ${caller.door.name}`, error);
    }
  }

  /**
   * Returns why a widening message is refused. Through the relay an edit link is proof enough, but
   * code that an agent runs can reach the sockets of this machine.
   */
  #codeDenial(caller: Caller, dialect: Dialect, message: Message): string | undefined {
    if (dialect.requiresCode === undefined || !DOORS[caller.door.name].isLocal) return undefined;
    if (!dialect.requiresCode(message)) return undefined;
    const { code } = message;
    return this.#elevationGate?.checkCode(typeof code === "string" ? code : undefined)?.error;
  }

  #sendBadRequest(caller: Caller, errorText: string, id?: string): void {
    const { first } = this.#dialects;
    if (first !== undefined) caller.send(first.error("bad_request", errorText, id));
  }
}
