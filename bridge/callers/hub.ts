// Owns the single entry point: every door opens its callers here. The hub looks up the grant on
// every message, asks its gates before it opens a caller, closes callers whose grant ends, routes
// messages to dialects by type and requests by path, keeps one caller's fault from the others, and
// tracks who is present. Does not know any dialect's messages or any door's transport.

import type { ErrorCode } from "../../protocol/codes.ts";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import { parseJson } from "../../protocol/json.ts";
import { toText } from "../../protocol/text.ts";
import { INTERNAL_ERROR, logFault, logErrors } from "../faults.ts";
import type { Grant, GrantEvent } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import { errorResponse } from "./json-response.ts";
import type { Caller, CloseReason, DoorName, Sender } from "./caller.ts";
import { DOORS } from "./caller.ts";
import type { Gate, GateVerdict } from "./gate.ts";
import { PASSED } from "./gate.ts";
import { formatLate, LateNotices } from "./late-notices.ts";
import type { Message } from "./message-parsing.ts";
import { getMessageId, isMessage, quoteType } from "./message-parsing.ts";
import type { Permission, RouteAccess } from "./permissions.ts";
import { hasPermission, permissionDenial, routeDenial } from "./permissions.ts";
import type { ElevationGate } from "./elevation-gate.ts";

const NOT_OPEN_MESSAGE = "This request was not admitted";

/** The callers that take part in a dialect, as the target of its broadcasts. */
export interface Audience {
  /** Sends to the callers for whom `isFor` returns true; to all of them by default. */
  send(message: string, isFor?: (caller: Caller, grant: Grant) => boolean): void;
  hasMembers(): boolean;
}

/**
 * A set of messages for people's sockets and terminal.sock. The rate is bounded before the hub: the
 * room closes a socket that sends more than 100 messages a second, of any type [R36], and sockets
 * of this machine are the user's own. So `message` may do some work each time, but broadcasting,
 * storing or starting something needs its own limit, by person (see people/people-terminals.ts) or by
 * socket (see message-rate.ts).
 */
export interface Dialect {
  /** Message types with this prefix belong to the dialect: `pty:`. */
  readonly prefix: string;
  /** Further message types, by full name. */
  readonly types?: readonly string[];
  /**
   * Doors where the dialect is available. The hub refuses its messages at other doors, and reports
   * no callers of those.
   */
  readonly doors: readonly DoorName[];
  /** Right that a caller needs to send and receive the dialect's messages; undefined: none. */
  readonly requires?: Permission;
  /** Error text for callers at another door or without that right; says what to do instead. */
  readonly unavailableMessage?: string;
  /** Starts the dialect's own broadcasts on registration. Returns how to stop them. */
  onRegister?(audience: Audience): () => void;
  /**
   * Fires when a caller starts to take part: it connected, or was given the right. Fires again for
   * callers that stayed connected while the link was down.
   */
  onJoin?(caller: Caller): void;
  /** Fires once per joined caller when it disconnects ("gone") or loses the right ("barred"). */
  onLeave?(caller: Caller, why: "gone" | "barred"): void;
  /**
   * Fires when a joined caller gains or loses rights and still takes part. `before` is the previous
   * grant; it may equal the current one, since limiting a View link takes nothing away.
   */
  onRightsChange?(caller: Caller, before: Grant): void;
  /**
   * Handles a message. `sender.grant` was looked up for it and counts until the first await. `text`
   * is the raw JSON, for replies that quote it.
   */
  onMessage(sender: Sender, message: Message, text: string): void | Promise<void>;
  /**
   * Types without side effects (attaching, acks, sizes): accepted however late they arrive. The hub
   * drops any other late message and notifies its sender.
   */
  readonly lateSafeTypes?: readonly string[];
  /**
   * Whether the message widens access. At a socket of this machine it may then need the
   * confirmation code.
   */
  requiresCode?(message: Message): boolean;
  /** Formats an error as a message of this dialect. */
  error(code: ErrorCode, errorText: string, id?: string): string;
}

/** A path served over HTTP, to people and to agents. */
export interface Route {
  readonly path: string;
  /** Whether the route also serves all paths below. */
  readonly includesSubpaths?: true;
  /**
   * Right that a request needs; without it the answer is `forbidden`, before any of the body is
   * read. Required, because a route that forgot it would be open to every agent.
   */
  readonly requires: RouteAccess | ((request: Request) => RouteAccess);
  serve(caller: Caller, request: Request): Promise<Response>;
}

/** The part of the grant table that the hub uses. */
export interface GrantSource {
  lookUp(id: string): Grant | undefined;
  onEvent(listener: (event: GrantEvent) => void): () => void;
}

export class Hub {
  readonly #log: Log;
  readonly #callers = new Set<Caller>();
  /**
   * Admitted callers: the grant that dialects last saw, and the dialects that each caller joined.
   */
  readonly #admitted = new Map<Caller, { grant: Grant; readonly joined: Set<Dialect> }>();
  /** Callers that wait, each with the gate that it waits at. */
  readonly #waiting = new Map<Caller, Gate>();
  readonly #gates: Gate[] = [];
  readonly #dialects: Dialect[] = [];
  readonly #routes: Route[] = [];
  readonly #unsubscribe: () => void;
  readonly #elevationGate: Pick<ElevationGate, "recordAgentCall" | "checkCode"> | undefined;
  readonly #lateNotices = new LateNotices();
  #isStopping = false;

  constructor(
    grants: GrantSource,
    log: Log,
    gate?: Pick<ElevationGate, "recordAgentCall" | "checkCode">,
  ) {
    this.#log = log;
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
    const other = this.#dialects.find((one) => shareTypes(one, dialect));
    if (other !== undefined) {
      throw new Error(`the dialect ${dialect.prefix} shares message types with ${other.prefix}`);
    }
    this.#dialects.push(dialect);
    const end = dialect.onRegister?.({
      send: (message, isFor = () => true) =>
        this.broadcast(
          message,
          (caller, grant) => participates(dialect, caller, grant) && isFor(caller, grant),
        ),
      hasMembers: () =>
        this.listAdmitted().some((caller) => participates(dialect, caller, caller.grant())),
    });
    return () => {
      end?.();
      remove(this.#dialects, dialect);
    };
  }

  /** Adds a gate behind those that exist; every caller must pass them all. */
  addGate(gate: Gate): void {
    this.#gates.push(gate);
  }

  /** Registers a route; returns its removal. Throws if its path overlaps with another route. */
  registerRoute(route: Route): () => void {
    if (this.#routes.some((one) => matchesPath(one, route.path) || matchesPath(route, one.path))) {
      throw new Error(`the path ${route.path} already has a route`);
    }
    this.#routes.push(route);
    return () => remove(this.#routes, route);
  }

  /**
   * Registers a caller and returns its removal. Asks the gates; closes the caller if one refuses it
   * or its grant has already ended.
   */
  open(caller: Caller): () => void {
    this.#callers.add(caller);
    this.#passGates(caller, 0);
    return () => this.#leave(caller);
  }

  /** Asks the gates again for a caller that stayed while the link was down, and greets it. */
  announce(caller: Caller): void {
    if (!this.#callers.has(caller)) return;
    const waitsAt = this.#waiting.get(caller);
    const passed =
      waitsAt === undefined ? this.#gates : this.#gates.slice(0, this.#gates.indexOf(waitsAt));
    for (const gate of passed) {
      if (!this.#obey(caller, gate, () => gate.recheck?.(caller) ?? PASSED)) return;
    }
    if (waitsAt === undefined) this.#greet(caller);
    else waitsAt.onWaiting?.(caller);
  }

  /** Asks the gates from `first` on, and greets a caller that all of them let pass. */
  #passGates(caller: Caller, first: number): void {
    for (const gate of this.#gates.slice(first)) {
      if (!this.#obey(caller, gate, () => gate.check(caller))) return;
    }
    // Recorded here because every caller passes here, and before anything is served.
    if (caller.grant()?.role === "agent") this.#elevationGate?.recordAgentCall();
    this.#greet(caller);
  }

  /** Carries out a gate's verdict. Returns whether the caller passed. */
  #obey(caller: Caller, gate: Gate, decide: () => GateVerdict): boolean {
    const verdict = this.#decide(gate, decide);
    switch (verdict.is) {
      case "passed":
        return true;
      case "waiting":
        this.#waiting.set(caller, gate);
        gate.onWaiting?.(caller);
        return false;
      case "refused":
        this.#callers.delete(caller);
        this.#closeFor(caller, verdict.reason);
        return false;
    }
  }

  #decide(gate: Gate, decide: () => GateVerdict): GateVerdict {
    try {
      return decide();
    } catch (error) {
      logFault(this.#log, `the gate ${gate.name}`, error);
      return { is: "refused", reason: { why: "internal", message: INTERNAL_ERROR } };
    }
  }

  /** Announces a caller to the dialects. */
  #greet(caller: Caller): void {
    const grant = caller.grant();
    if (grant === undefined) return this.#close(caller, "revoked");
    if (DOORS[caller.door.name].receivesBroadcasts) {
      const joined = this.#admitted.get(caller)?.joined ?? new Set();
      this.#admitted.set(caller, { grant, joined });
      this.#forEachDialect(caller, (dialect) => {
        if (!participates(dialect, caller, caller.grant())) return;
        joined.add(dialect);
        dialect.onJoin?.(caller);
      });
    }
    return undefined;
  }

  /** Lets a caller that waits at `gate` go on to the next one. */
  pass(caller: Caller, gate: Gate): void {
    if (this.#waiting.get(caller) !== gate) return;
    this.#waiting.delete(caller);
    this.#passGates(caller, this.#gates.indexOf(gate) + 1);
  }

  /** Reports changed rights of an admitted caller to the dialects. */
  rightsChanged(caller: Caller): void {
    const admitted = this.#admitted.get(caller);
    if (admitted === undefined) return;
    const { grant: before, joined } = admitted;
    admitted.grant = caller.grant() ?? before;
    this.#forEachDialect(caller, (dialect) => {
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

  isWaiting(caller: Caller): boolean {
    return this.#waiting.has(caller);
  }

  /** Whether every gate let the caller pass, and it is still connected. */
  isOpen(caller: Caller): boolean {
    return this.#callers.has(caller) && !this.#waiting.has(caller);
  }

  /** Returns all admitted callers, at any door; waiting ones are left out. */
  listAdmitted(): Caller[] {
    return [...this.#callers].filter((caller) => !this.#waiting.has(caller));
  }

  /** Handles a caller's message. `isLate`: it was queued while this machine was asleep. */
  handleMessage(caller: Caller, payload: Uint8Array, isLate = false): void {
    if (!this.#callers.has(caller)) return undefined;
    // The only look-up on the way of a message: everything up to the first await decides by it.
    const grant = caller.grant();
    if (grant === undefined) return this.#close(caller, "revoked");
    const gate = this.#waiting.get(caller);
    if (gate !== undefined) return this.#receiveAt(gate, caller, payload);
    const text = toText(payload);
    const parsed = parseJson(text);
    if (!parsed.ok) return this.#sendBadRequest(caller, "The message is not JSON");
    const message = parsed.value;
    if (!isMessage(message)) {
      return this.#sendBadRequest(caller, "The message is not an object with a type");
    }
    const dialect = this.#findDialect(message.type);
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
    try {
      const done = dialect.onMessage(sender, message, text);
      if (done !== undefined) {
        done.catch((error: unknown) =>
          this.#reportFault(caller, dialect, error, getMessageId(message)),
        );
      }
    } catch (error) {
      this.#reportFault(caller, dialect, error, getMessageId(message));
    }
    return undefined;
  }

  /** Serves a request; undefined if the path has no route. Exceptions are the door's to answer. */
  async request(caller: Caller, request: Request): Promise<Response | undefined> {
    if (!this.isOpen(caller)) return errorResponse("unauthorized", NOT_OPEN_MESSAGE);
    for (const gate of this.#gates) {
      const denial = gate.requestDenial?.(caller, request);
      if (denial !== undefined) return errorResponse(denial.code, denial.error);
    }
    const { pathname } = new URL(request.url);
    const route = this.#routes.find((one) => matchesPath(one, pathname));
    if (route === undefined) return undefined;
    const { requires } = route;
    const need = typeof requires === "function" ? requires(request) : requires;
    const denial = routeDenial(caller, need);
    return denial === undefined
      ? await route.serve(caller, request)
      : errorResponse("forbidden", denial);
  }

  /** Sends a message to all admitted callers at listening doors for whom `isFor` returns true. */
  broadcast(message: string, isFor: (caller: Caller, grant: Grant) => boolean = () => true): void {
    const groups = new Map<Caller["door"], Caller[]>();
    for (const caller of this.#callers) {
      if (!DOORS[caller.door.name].receivesBroadcasts || this.#waiting.has(caller)) continue;
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

  /** Passes a waiting caller's message to its gate alone; the gate's faults are logged. */
  #receiveAt(gate: Gate, caller: Caller, payload: Uint8Array): void {
    logErrors(this.#log, "a waiting caller's message", () => gate.receive?.(caller, payload))();
  }

  #dropLate(caller: Caller, dialect: Dialect, message: Message): void {
    const id = getMessageId(message);
    if (!this.#lateNotices.isDue(caller, `${message.type} ${id ?? ""}`, performance.now())) return;
    this.#log.warn(`${quoteType(message)} from ${caller.grantId} came late; dropped`);
    caller.send(dialect.error("host_asleep", formatLate(message.type), id));
  }

  #leave(caller: Caller): void {
    this.#callers.delete(caller);
    const gate = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    gate?.onLeave?.(caller);
    const joined = this.#admitted.get(caller)?.joined;
    this.#admitted.delete(caller);
    this.#forEachDialect(caller, (dialect) => {
      if (joined?.delete(dialect) === true) dialect.onLeave?.(caller, "gone");
    });
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

  #findDialect(type: string): Dialect | undefined {
    return this.#dialects.find((dialect) => ownsType(dialect, type));
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
    const [first] = this.#dialects;
    if (first !== undefined) caller.send(first.error("bad_request", errorText, id));
  }

  /** Logs an exception and answers the caller with `internal`. */
  #reportFault(caller: Caller, dialect: Dialect, error: unknown, id?: string): void {
    logFault(this.#log, `${dialect.prefix} for ${caller.grantId}`, error);
    logErrors(this.#log, "reporting a fault", () =>
      caller.send(dialect.error("internal", INTERNAL_ERROR, id)),
    )();
  }

  /**
   * Calls `act` for each dialect at the caller's door; one that throws does not stop the others.
   */
  #forEachDialect(caller: Caller, act: (dialect: Dialect) => void): void {
    for (const dialect of this.#dialects) {
      if (!dialect.doors.includes(caller.door.name)) continue;
      try {
        act(dialect);
      } catch (error) {
        this.#reportFault(caller, dialect, error);
      }
    }
  }
}

function matchesPath({ path, includesSubpaths }: Route, pathname: string): boolean {
  return pathname === path || (includesSubpaths === true && pathname.startsWith(`${path}/`));
}

function participates(dialect: Dialect, { door }: Caller, grant: Grant | undefined): boolean {
  const { doors, requires: act } = dialect;
  return doors.includes(door.name) && (act === undefined || hasPermission(grant, act));
}

function dialectDenial({ caller, grant }: Sender, dialect: Dialect): string | undefined {
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

/** Removes one occurrence; does nothing on a second call. */
function remove<T>(from: T[], one: T): void {
  const at = from.indexOf(one);
  if (at >= 0) from.splice(at, 1);
}
