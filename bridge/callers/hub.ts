// Owns the single entry point: every door opens its callers here. The hub looks up the grant on
// every message, closes callers whose grant ends, routes messages to dialects by type and requests
// by path, keeps one caller's fault from the others, and tracks who is present. Does not know any
// dialect's messages or any door's transport.

import type { ErrorCode } from "../../protocol/codes.ts";
import { GONE_REASONS } from "../../protocol/codes.ts";
import { parseJson } from "../../protocol/json.ts";
import { toText } from "../../protocol/text.ts";
import { FAULT, logFault, unfailing } from "../faults.ts";
import type { Grant, GrantEvent } from "../grants/table.ts";
import type { Log } from "../log.ts";
import { errorResponse } from "./answers.ts";
import type { Caller, DoorName } from "./caller.ts";
import { DOORS } from "./caller.ts";
import { formatLate, LateNotices } from "./late.ts";
import type { Message } from "./reading.ts";
import { idOf, typeOf } from "./reading.ts";
import type { Act, Need } from "./rights.ts";
import { may, whyNot, whyNotServed } from "./rights.ts";
import type { Widening } from "./widening.ts";

/** The callers that take part in a dialect, as the target of its broadcasts. */
export interface Audience {
  /** Sends to the callers for whom `isFor` returns true; to all of them by default. */
  tell(message: string, isFor?: (caller: Caller, grant: Grant) => boolean): void;
  isAnybodyThere(): boolean;
}

/**
 * A set of messages for people's sockets and terminal.sock. The rate is bounded before the hub: the
 * room closes a socket that sends more than 100 messages a second, of any type [R36], and sockets
 * of this machine are the user's own. So `message` may do some work each time, but broadcasting,
 * storing or starting something needs its own limit, by person (see people/renames.ts) or by socket
 * (see rate.ts).
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
  readonly forThoseWhoMay?: Act;
  /** Error text for callers at another door or without that right; says what to do instead. */
  readonly elsewhere?: string;
  /** Starts the dialect's own broadcasts on registration. Returns how to stop them. */
  opened?(audience: Audience): () => void;
  /**
   * Fires when a caller starts to take part: it connected, or was given the right. Fires again for
   * callers that stayed connected while the link was down.
   */
  joined?(caller: Caller): void;
  /** Fires once per joined caller when it disconnects ("gone") or loses the right ("barred"). */
  left?(caller: Caller, why: "gone" | "barred"): void;
  /**
   * Fires when a joined caller gains or loses rights and still takes part. `before` is the previous
   * grant; it may equal the current one, since limiting a View link takes nothing away.
   */
  changed?(caller: Caller, before: Grant): void;
  /** Handles a message. `text` is the raw JSON, for replies that quote it. */
  message(caller: Caller, message: Message, text: string): void | Promise<void>;
  /**
   * Types without side effects (attaching, acks, sizes): accepted however late they arrive. The hub
   * drops any other late message and notifies its sender.
   */
  readonly harmlessTypes?: readonly string[];
  /**
   * Whether the message widens access. At a socket of this machine it may then need the
   * confirmation code.
   */
  widens?(message: Message): boolean;
  /** Formats an error as a message of this dialect. */
  error(code: ErrorCode, sentence: string, id?: string): string;
}

/** A path served over HTTP, to people and to agents. */
export interface Route {
  readonly path: string;
  /** Whether the route also serves all paths below. */
  readonly hasBelow?: true;
  /**
   * Right that a request needs; without it the answer is `forbidden`, before any of the body is
   * read. Required, because a route that forgot it would be open to every agent.
   */
  readonly needs: Need | ((request: Request) => Need);
  serve(caller: Caller, request: Request): Promise<Response>;
}

/**
 * Decides which callers must wait before they are admitted. A waiting caller receives no broadcast.
 */
export interface Threshold {
  /** Whether a new caller must wait. */
  holds(caller: Caller): boolean;
  /** Fires when a caller starts to wait, and again when the link comes back while it waits. */
  waits(caller: Caller): void;
  /** Handles a message from a waiting caller. */
  heard(caller: Caller, message: Message): void;
  left(caller: Caller): void;
  /** Returns why a request is refused; undefined if it is allowed. */
  whyNotServe(caller: Caller, request: Request): string | undefined;
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
  readonly #greeted = new Map<Caller, { grant: Grant; readonly joined: Set<Dialect> }>();
  readonly #waiting = new Set<Caller>();
  #threshold: Threshold | undefined;
  readonly #dialects: Dialect[] = [];
  readonly #routes: Route[] = [];
  readonly #unsubscribe: () => void;
  readonly #gate: Pick<Widening, "agentCalled" | "whyNot"> | undefined;
  readonly #lateNotices = new LateNotices();
  #isEnding = false;

  constructor(grants: GrantSource, log: Log, gate?: Pick<Widening, "agentCalled" | "whyNot">) {
    this.#log = log;
    this.#gate = gate;
    this.#unsubscribe = grants.onEvent(({ event, grant }) => {
      if (event === "revoked" || event === "expired") this.#onEnded(grant, event);
    });
  }

  /** Marks the bridge as stopping: callers closed after this get "ended" as their reason. */
  ends(): void {
    this.#isEnding = true;
  }

  dispose(): void {
    this.#unsubscribe();
  }

  /**
   * Registers a dialect; returns its removal. Order matters: the first dialect answers unknown
   * message types. Throws if two dialects claim the same type.
   */
  speak(dialect: Dialect): () => void {
    const other = this.#dialects.find((one) => doShareTypes(one, dialect));
    if (other !== undefined) {
      throw new Error(`the dialect ${dialect.prefix} shares message types with ${other.prefix}`);
    }
    this.#dialects.push(dialect);
    const end = dialect.opened?.({
      tell: (message, isFor = () => true) =>
        this.tell(
          message,
          (caller, grant) => takesPart(dialect, caller, grant) && isFor(caller, grant),
        ),
      isAnybodyThere: () =>
        this.present().some((caller) => takesPart(dialect, caller, caller.grant())),
    });
    return () => {
      end?.();
      remove(this.#dialects, dialect);
    };
  }

  /** Installs the gate that decides who must wait. */
  guard(threshold: Threshold): void {
    this.#threshold = threshold;
  }

  /** Registers a route; returns its removal. Throws if its path overlaps with another route. */
  serve(route: Route): () => void {
    if (this.#routes.some((one) => isAt(one, route.path) || isAt(route, one.path))) {
      throw new Error(`the path ${route.path} already has a route`);
    }
    this.#routes.push(route);
    return () => remove(this.#routes, route);
  }

  /** Registers a caller and returns its removal. Closes it if its grant has already ended. */
  open(caller: Caller): () => void {
    this.#callers.add(caller);
    // Recorded here because every caller passes here, and before anything is served.
    if (caller.grant()?.role === "agent") this.#gate?.agentCalled();
    if (this.#threshold?.holds(caller) === true) this.#waiting.add(caller);
    this.greet(caller);
    return () => this.#leave(caller);
  }

  /** Announces a caller to the dialects; again for one that stayed while the link was down. */
  greet(caller: Caller): void {
    const grant = caller.grant();
    if (grant === undefined) return this.#dismiss(caller, "revoked");
    if (this.#waiting.has(caller)) return this.#threshold?.waits(caller);
    if (DOORS[caller.door.name].listens) {
      const joined = this.#greeted.get(caller)?.joined ?? new Set();
      this.#greeted.set(caller, { grant, joined });
      this.#each(caller, (dialect) => {
        if (!takesPart(dialect, caller, caller.grant())) return;
        joined.add(dialect);
        dialect.joined?.(caller);
      });
    }
    return undefined;
  }

  /** Lets a waiting caller in. */
  admit(caller: Caller): void {
    if (this.#waiting.delete(caller)) this.greet(caller);
  }

  /** Reports changed rights of an admitted caller to the dialects. */
  changed(caller: Caller): void {
    const greeted = this.#greeted.get(caller);
    if (greeted === undefined) return;
    const { grant: before, joined } = greeted;
    greeted.grant = caller.grant() ?? before;
    this.#each(caller, (dialect) => {
      if (!takesPart(dialect, caller, caller.grant())) {
        if (joined.delete(dialect)) dialect.left?.(caller, "barred");
      } else if (joined.has(dialect)) {
        dialect.changed?.(caller, before);
      } else {
        joined.add(dialect);
        dialect.joined?.(caller);
      }
    });
  }

  isWaiting(caller: Caller): boolean {
    return this.#waiting.has(caller);
  }

  /** Returns all admitted callers, at any door; waiting ones are left out. */
  present(): Caller[] {
    return [...this.#callers].filter((caller) => !this.#waiting.has(caller));
  }

  /** Handles a caller's message. `isLate`: it was queued while this machine was asleep. */
  message(caller: Caller, payload: Uint8Array, isLate = false): void {
    if (caller.grant() === undefined) return this.#dismiss(caller, "revoked");
    const text = toText(payload);
    const parsed = parseJson(text);
    if (this.#waiting.has(caller)) return this.#waits(caller, parsed);
    if (!parsed.ok) return this.#complain(caller, "The message is not JSON");
    const message = parsed.value;
    if (!isMessage(message)) {
      return this.#complain(caller, "The message is not an object with a type");
    }
    const dialect = this.#dialectOf(message.type);
    if (dialect === undefined) {
      const sentence = `Unknown message type: ${typeOf(message)}`;
      return this.#complain(caller, sentence, idOf(message));
    }
    const refusal = whyNotHere(caller, dialect) ?? this.#whyNotWiden(caller, dialect, message);
    if (refusal !== undefined) {
      return caller.tell(dialect.error("forbidden", refusal, idOf(message)));
    }
    if (isLate && dialect.harmlessTypes?.includes(message.type) !== true) {
      return this.#dropLate(caller, dialect, message);
    }
    try {
      const done = dialect.message(caller, message, text);
      if (done !== undefined) {
        done.catch((error: unknown) => this.#fault(caller, dialect, error, idOf(message)));
      }
    } catch (error) {
      this.#fault(caller, dialect, error, idOf(message));
    }
    return undefined;
  }

  /** Serves a request; undefined if the path has no route. Exceptions are the door's to answer. */
  async request(caller: Caller, request: Request): Promise<Response | undefined> {
    const refusal = this.#threshold?.whyNotServe(caller, request);
    if (refusal !== undefined) return errorResponse("forbidden", refusal);
    const { pathname } = new URL(request.url);
    const route = this.#routes.find((one) => isAt(one, pathname));
    if (route === undefined) return undefined;
    const { needs } = route;
    const need = typeof needs === "function" ? needs(request) : needs;
    const lacks = whyNotServed(caller, need);
    return lacks === undefined
      ? await route.serve(caller, request)
      : errorResponse("forbidden", lacks);
  }

  /** Sends a message to all admitted callers at listening doors for whom `isFor` returns true. */
  tell(message: string, isFor: (caller: Caller, grant: Grant) => boolean = () => true): void {
    const groups = new Map<Caller["door"], Caller[]>();
    for (const caller of this.#callers) {
      if (!DOORS[caller.door.name].listens || this.#waiting.has(caller)) continue;
      const grant = caller.grant();
      if (grant === undefined || !isFor(caller, grant)) continue;
      const group = groups.get(caller.door);
      if (group === undefined) groups.set(caller.door, [caller]);
      else group.push(caller);
    }
    for (const [door, callers] of groups) {
      // A throwing door must not stop the others.
      unfailing(this.#log, `sending to callers at ${door.name}`, () =>
        door.tellAll(callers, message),
      )();
    }
  }

  /** Passes a waiting caller's message to the gate alone; its faults are logged. */
  #waits(caller: Caller, parsed: ReturnType<typeof parseJson>): void {
    if (!parsed.ok || !isMessage(parsed.value)) return;
    const { value } = parsed;
    unfailing(this.#log, "a waiting caller's message", () =>
      this.#threshold?.heard(caller, value),
    )();
  }

  #dropLate(caller: Caller, dialect: Dialect, message: Message): void {
    const id = idOf(message);
    if (!this.#lateNotices.isDue(caller, `${message.type} ${id ?? ""}`, performance.now())) return;
    this.#log.warn(`${typeOf(message)} from ${caller.grantId} came late; dropped`);
    caller.tell(dialect.error("host_asleep", formatLate(message.type), id));
  }

  #leave(caller: Caller): void {
    this.#callers.delete(caller);
    if (this.#waiting.delete(caller)) this.#threshold?.left(caller);
    const joined = this.#greeted.get(caller)?.joined;
    this.#greeted.delete(caller);
    this.#each(caller, (dialect) => {
      if (joined?.delete(dialect) === true) dialect.left?.(caller, "gone");
    });
  }

  #onEnded({ id }: Grant, why: "revoked" | "expired"): void {
    for (const caller of this.#callers) {
      if (caller.grantId === id) this.#dismiss(caller, why);
    }
  }

  /** Closes a caller. It stays in the list until its door removes it. */
  #dismiss(caller: Caller, why: "revoked" | "expired"): void {
    try {
      caller.close({ why, sentence: GONE_REASONS[this.#isEnding ? "ended" : why] });
    } catch (error) {
      logFault(this.#log, `closing a caller at ${caller.door.name}`, error);
    }
  }

  #dialectOf(type: string): Dialect | undefined {
    return this.#dialects.find((dialect) => isOf(dialect, type));
  }

  /**
   * Returns why a widening message is refused. Through the relay an edit link is proof enough, but
   * code that an agent runs can reach the sockets of this machine.
   */
  #whyNotWiden(caller: Caller, dialect: Dialect, message: Message): string | undefined {
    if (dialect.widens === undefined || !DOORS[caller.door.name].isOfThisMachine) return undefined;
    if (!dialect.widens(message)) return undefined;
    const { code } = message;
    return this.#gate?.whyNot(typeof code === "string" ? code : undefined)?.error;
  }

  #complain(caller: Caller, sentence: string, id?: string): void {
    const [first] = this.#dialects;
    if (first !== undefined) caller.tell(first.error("bad_request", sentence, id));
  }

  /** Logs an exception and answers the caller with `internal`. */
  #fault(caller: Caller, dialect: Dialect, error: unknown, id?: string): void {
    logFault(this.#log, `${dialect.prefix} for ${caller.grantId}`, error);
    unfailing(this.#log, "reporting a fault", () =>
      caller.tell(dialect.error("internal", FAULT, id)),
    )();
  }

  /**
   * Calls `act` for each dialect at the caller's door; one that throws does not stop the others.
   */
  #each(caller: Caller, act: (dialect: Dialect) => void): void {
    for (const dialect of this.#dialects) {
      if (!dialect.doors.includes(caller.door.name)) continue;
      try {
        act(dialect);
      } catch (error) {
        this.#fault(caller, dialect, error);
      }
    }
  }
}

function isAt({ path, hasBelow }: Route, pathname: string): boolean {
  return pathname === path || (hasBelow === true && pathname.startsWith(`${path}/`));
}

function takesPart(dialect: Dialect, { door }: Caller, grant: Grant | undefined): boolean {
  const { doors, forThoseWhoMay: act } = dialect;
  return doors.includes(door.name) && (act === undefined || may(grant, act));
}

function whyNotHere(caller: Caller, dialect: Dialect): string | undefined {
  if (takesPart(dialect, caller, caller.grant())) return undefined;
  const { doors, forThoseWhoMay: act } = dialect;
  // A limited browser gets the same answer everywhere: another link would not help.
  const isLimited = caller.standing?.limit !== undefined && doors.includes(caller.door.name);
  if (isLimited && act !== undefined) return whyNot(caller, act);
  return dialect.elsewhere ?? `${dialect.prefix} messages are only available in the page`;
}

function isOf({ prefix, types }: Dialect, type: string): boolean {
  return type.startsWith(prefix) || types?.includes(type) === true;
}

/** True if both claim some type. A prefix stands for the shortest type that starts with it. */
function doShareTypes(one: Dialect, other: Dialect): boolean {
  const typesOf = ({ prefix, types = [] }: Dialect) => [prefix, ...types];
  return (
    typesOf(one).some((type) => isOf(other, type)) || typesOf(other).some((type) => isOf(one, type))
  );
}

/** Removes one occurrence; does nothing on a second call. */
function remove<T>(from: T[], one: T): void {
  const at = from.indexOf(one);
  if (at >= 0) from.splice(at, 1);
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}
