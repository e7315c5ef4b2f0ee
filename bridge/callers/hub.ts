// Owns the one way in: every door opens its callers here. The hub looks the grant up on every
// message, sends callers away when their grant ends, hands messages to dialects by their type and
// requests by their path, keeps a fault to the caller that met it, and knows who is here.
// Does not know any dialect's words, nor what a door is made of.

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

/** Those who take part in a dialect, as the dialect reaches them by itself. */
export interface Audience {
  /** `isFor`: of them, whom. */
  tell(message: string, isFor?: (caller: Caller, grant: Grant) => boolean): void;
  isAnybodyThere(): boolean;
}

/**
 * A language of messages, spoken on people's sockets and at terminal.sock. Its rate is bounded before
 * it comes here: the room closes a socket that says more than 100 messages a second, of whatever type
 * [R36], and a socket of this machine is the user's own. So `message` may cost a little each time; what
 * is told to everybody, is kept, or starts something needs a limit of its own, by person (as
 * people/renames.ts) or by socket (as rate.ts).
 */
export interface Dialect {
  /** Types that start so are this dialect's: `pty:`. */
  readonly prefix: string;
  /** Types beside the prefix, by their whole name. */
  readonly types?: readonly string[];
  /** Where people take part in it. At other doors it is refused, and it hears of nobody there. */
  readonly doors: readonly DoorName[];
  /** Who takes part in it, which is to speak and to hear it: those with this right, or everybody. */
  readonly forThoseWhoMay?: Act;
  /** What to do instead, for those at another door or without that right. */
  readonly elsewhere?: string;
  /** From its registration on; returns its end. What it tells by itself, it tells by this. */
  opened?(audience: Audience): () => void;
  /**
   * Somebody takes part from now on: they came in, or were given the right to it. Called again for
   * those who stayed while the link was cut.
   */
  joined?(caller: Caller): void;
  /** Somebody who joined takes part no more, told once: they are gone, or here without the right. */
  left?(caller: Caller, why: "gone" | "barred"): void;
  /**
   * Somebody who joined, and still takes part, was given or lost a right. `before` is the grant that
   * the dialects knew until now. It may equal the present one: a View link that is kept to watching
   * loses nothing.
   */
  changed?(caller: Caller, before: Grant): void;
  /** `text` is the message as it came, for what is quoted back. */
  message(caller: Caller, message: Message, text: string): void | Promise<void>;
  /**
   * Types that run, change or answer nothing (attaching, acks, sizes): they are taken however late they
   * come.
   * Any other message is dropped when it is late, and its sender told so.
   */
  readonly harmlessTypes?: readonly string[];
  /** Whether it gives somebody more than they had: at a socket of this machine it may need the code. */
  widens?(message: Message): boolean;
  /** How this dialect says what went wrong. */
  error(code: ErrorCode, sentence: string, id?: string): string;
}

/** What is served over HTTP at a path. Agents with any token ask for it, too. */
export interface Route {
  readonly path: string;
  /** Everything below the path is this route's, too. */
  readonly hasBelow?: true;
  /**
   * What it takes to be served, or which request takes what. Whoever may not gets `forbidden`, before
   * anything of the body is read. Not optional: a route that forgot it would be open to every agent.
   */
  readonly needs: Need | ((request: Request) => Need);
  serve(caller: Caller, request: Request): Promise<Response>;
}

/** Who has to wait before they are in. Whoever waits gets nothing of what the hub tells. */
export interface Threshold {
  /** Asked when somebody comes. */
  holds(caller: Caller): boolean;
  /** It waits; told again when the link was cut meanwhile. */
  waits(caller: Caller): void;
  /** What somebody who waits says. */
  heard(caller: Caller, message: Message): void;
  left(caller: Caller): void;
  /** Why a request is not served; undefined when it is. */
  whyNotServe(caller: Caller, request: Request): string | undefined;
}

/** The grants, as far as the hub needs them. */
export interface GrantSource {
  lookUp(id: string): Grant | undefined;
  onEvent(listener: (event: GrantEvent) => void): () => void;
}

export class Hub {
  readonly #log: Log;
  readonly #callers = new Set<Caller>();
  /** Those who are in: the grant as the dialects know it, and the dialects that each has joined. */
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

  /** The bridge ends on purpose: links that end from now on end with it. */
  ends(): void {
    this.#isEnding = true;
  }

  dispose(): void {
    this.#unsubscribe();
  }

  /** The first dialect also answers what belongs to none. Throws where a type would belong to two. */
  speak(dialect: Dialect): () => void {
    const other = this.#dialects.find((one) => doShareTypes(one, dialect));
    if (other !== undefined) {
      throw new Error(`the dialect ${dialect.prefix} has types that ${other.prefix} has already`);
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

  /** From now on somebody may have to wait. */
  guard(threshold: Threshold): void {
    this.#threshold = threshold;
  }

  /** Throws where a path would belong to two. */
  serve(route: Route): () => void {
    if (this.#routes.some((one) => isAt(one, route.path) || isAt(route, one.path))) {
      throw new Error(`the path ${route.path} has a route already`);
    }
    this.#routes.push(route);
    return () => remove(this.#routes, route);
  }

  /** Returns how it leaves. One whose grant is gone already is sent away at once. */
  open(caller: Caller): () => void {
    this.#callers.add(caller);
    // Here, which every way in passes, and before anything is served.
    if (caller.grant()?.role === "agent") this.#gate?.agentCalled();
    if (this.#threshold?.holds(caller) === true) this.#waiting.add(caller);
    this.greet(caller);
    return () => this.#leave(caller);
  }

  /** Once more, for somebody who stayed while the link was cut. */
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

  /** Somebody who waited is in. */
  admit(caller: Caller): void {
    if (this.#waiting.delete(caller)) this.greet(caller);
  }

  /** The rights of somebody who is in are not what they were. */
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

  /** Everybody who is here now, by whatever door; whoever waits is not. */
  present(): Caller[] {
    return [...this.#callers].filter((caller) => !this.#waiting.has(caller));
  }

  /** What a caller said on its socket. `isLate`: it waited while this machine stood still. */
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

  /** Undefined when nothing is served at this path. A fault is the door's to answer with. */
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

  /** To those who listen to the room and whom `isFor` lets hear it. */
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
      // One door's fault is not the next one's silence.
      unfailing(this.#log, `telling callers at ${door.name}`, () =>
        door.tellAll(callers, message),
      )();
    }
  }

  /** Nothing that it says reaches a dialect, and no fault of it anybody else. */
  #waits(caller: Caller, parsed: ReturnType<typeof parseJson>): void {
    if (!parsed.ok || !isMessage(parsed.value)) return;
    const { value } = parsed;
    unfailing(this.#log, "what somebody said who waits", () =>
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

  /** Stays among the present until its door says that it is gone. */
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

  /** Through the relay an edit link is proof enough; a socket of this machine an agent's code reaches, too. */
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

  /** One throw costs one caller one error. */
  #fault(caller: Caller, dialect: Dialect, error: unknown, id?: string): void {
    logFault(this.#log, `${dialect.prefix} for ${caller.grantId}`, error);
    unfailing(this.#log, "telling of a fault", () =>
      caller.tell(dialect.error("internal", FAULT, id)),
    )();
  }

  /** Of those that are spoken at its door. */
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
  // No other link helps somebody whose browser was limited: that is said at every place alike.
  const isLimited = caller.standing?.limit !== undefined && doors.includes(caller.door.name);
  if (isLimited && act !== undefined) return whyNot(caller, act);
  return dialect.elsewhere ?? `${dialect.prefix} messages belong to the page`;
}

function isOf({ prefix, types }: Dialect, type: string): boolean {
  return type.startsWith(prefix) || types?.includes(type) === true;
}

/** A prefix stands for the shortest type that it has: whoever has that has a type of both. */
function doShareTypes(one: Dialect, other: Dialect): boolean {
  const typesOf = ({ prefix, types = [] }: Dialect) => [prefix, ...types];
  return (
    typesOf(one).some((type) => isOf(other, type)) || typesOf(other).some((type) => isOf(one, type))
  );
}

/** Once: what is not there any more is not somebody else's. */
function remove<T>(from: T[], one: T): void {
  const at = from.indexOf(one);
  if (at >= 0) from.splice(at, 1);
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}
