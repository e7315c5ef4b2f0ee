// Owns the pty dialect on people's sockets: validates each message and carries it out, or answers
// with a pty:error. The people's service decides what they may do; the viewers handle attaching.

import type { ErrorCode } from "../../../protocol/codes.ts";
import type { PtyRequest } from "../../../protocol/pty.ts";
import { toBytes } from "../../../protocol/text.ts";
import type { Caller } from "../../callers/caller.ts";
import { nameOf } from "../../callers/caller.ts";
import type { Dialect } from "../../callers/hub.ts";
import type { Message } from "../../callers/reading.ts";
import type { Grant } from "../../grants/table.ts";
import type { Openness } from "../../people/openness.ts";
import type { RunningPrograms } from "../../people/running.ts";
import type { PeopleTerminals, Refused } from "../../people/service.ts";
import type { SteppingIn } from "../../people/stepping-in.ts";
import type { Recordings } from "../../recordings/recordings.ts";
import { isReply } from "../../screens/queries.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Peer } from "../../viewers/peers.ts";
import type { Visitors } from "../../people/visitors.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import { actOf, explain, readRequest } from "./request.ts";
import { askedWords, errorWords, runningWords, terminalsWords } from "./words.ts";

/** The parts of the people's service and the viewers that this dialect uses. */
type People = Pick<
  PeopleTerminals,
  "close" | "find" | "left" | "list" | "promote" | "rename" | "type" | "whyNoInput" | "whyNot"
>;
type Seats = Pick<
  Viewers,
  | "acked"
  | "attach"
  | "detach"
  | "driverOf"
  | "drives"
  | "get"
  | "of"
  | "resized"
  | "rights"
  | "types"
  | "viewed"
>;

type Opening = Pick<Openness, "setPrivate" | "letAgentsType" | "left" | "pin" | "sightChanged">;
type Stepping = Pick<SteppingIn, "stepIn" | "handBack" | "joined" | "left">;

/** Receives what people look at and type into. */
export type Noticing = Pick<Visitors, "moved" | "typed">;
/** The parts of the recordings that this dialect uses. */
export type Recording = Pick<Recordings, "start" | "stop">;
const UNNOTICED: Noticing = { moved: () => {}, typed: () => {} };

/** Provides the foreground program of each terminal. */
export type InFront = Pick<RunningPrograms, "now">;

export class PtyDialect implements Dialect {
  readonly prefix = "pty:";
  readonly doors = ["people", "terminal"] as const;
  readonly harmlessTypes = ["pty:attach", "pty:detach", "pty:ack", "pty:view", "pty:resize"];
  readonly #people: People;
  readonly #openness: Opening;
  readonly #stepping: Stepping;
  readonly #viewers: Seats;
  readonly #noticing: Noticing;
  readonly #recording: Recording | undefined;
  readonly #inFront: InFront | undefined;

  constructor(
    people: People,
    openness: Opening,
    stepping: Stepping,
    viewers: Seats,
    noticing: Noticing = UNNOTICED,
    inFront?: InFront,
    recording?: Recording,
  ) {
    this.#inFront = inFront;
    this.#people = people;
    this.#openness = openness;
    this.#stepping = stepping;
    this.#viewers = viewers;
    this.#noticing = noticing;
    this.#recording = recording;
  }

  /** Sends the list of terminals; also called when the bridge reconnects. */
  joined(caller: Caller): void {
    const viewer = this.#viewers.of(caller);
    const grant = caller.grant();
    if (viewer === undefined || grant === undefined) return;
    const list = this.#people.list(caller);
    for (const message of terminalsWords(list, grant.role, viewer.number)) caller.tell(message);
    const ids = new Set(list.map(({ id }) => id));
    const running = this.#inFront?.now().filter(({ id }) => ids.has(id)) ?? [];
    for (const message of runningWords(running)) caller.tell(message);
    this.#stepping.joined(caller);
  }

  left(caller: Caller): void {
    this.#people.left(caller);
    this.#openness.left(caller);
    this.#stepping.left(caller);
  }

  /** Applies changed rights. Losing edit rights releases everything the caller was driving. */
  changed(caller: Caller, before: Grant): void {
    const viewer = this.#viewers.of(caller);
    if (viewer === undefined) return;
    const mayType = this.#people.whyNot(caller, "change") === undefined;
    if (!mayType) this.left(caller);
    this.#viewers.rights(viewer, mayType);
    this.#openness.sightChanged(caller, before);
  }

  message(caller: Caller, message: Message): void | Promise<void> {
    const viewer = this.#viewers.of(caller);
    if (viewer === undefined) return;
    const parsed = readRequest(message);
    if (!parsed.ok) return caller.tell(explain(message, parsed.error));
    const request = parsed.value;
    const refusal = this.#people.whyNot(caller, actOf(request));
    if (refusal !== undefined) return caller.tell(errorWords("forbidden", refusal, request.id));
    const terminal = this.#people.find(caller, request.id);
    if (terminal === undefined) {
      return caller.tell(errorWords("not_found", "Session not found", request.id));
    }
    return this.#carryOut(viewer, terminal, request);
  }

  /** Whether the message gives agents access to a terminal. */
  widens({ type, on }: Message): boolean {
    return type === "pty:agents-type" && on === true;
  }

  error(code: ErrorCode, sentence: string, id?: string): string {
    return errorWords(code, sentence, id);
  }

  #carryOut(viewer: Peer, terminal: PoolTerminal, request: PtyRequest): void | Promise<void> {
    const { caller } = viewer;
    switch (request.type) {
      case "pty:attach": {
        const { epoch, offset } = request;
        const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset };
        const mayType = this.#people.whyNot(caller, "change") === undefined;
        this.#viewers.attach(viewer, terminal, mayType, place);
        return this.#noticing.moved(caller);
      }
      case "pty:detach":
        this.#viewers.detach(viewer, terminal);
        return this.#noticing.moved(caller);
      case "pty:input": {
        // A terminal's own reply to a query: the bridge has answered already.
        if (request.reply !== "clipboard" && isReply(request.data)) return undefined;
        const refusal = this.#people.whyNoInput(caller, terminal);
        if (refusal !== undefined) {
          return caller.tell(errorWords("forbidden", refusal, terminal.id));
        }
        const bytes = toBytes(request.data);
        const type = () => this.#people.type(caller, terminal, bytes);
        this.#viewers.types(viewer, terminal, type);
        return this.#noticing.typed(caller, terminal.id);
      }
      case "pty:resize":
        return this.#viewers.resized(viewer, terminal, request);
      case "pty:view":
        return this.#viewers.viewed(viewer, terminal, request, request.visible);
      case "pty:drive":
        return this.#viewers.drives(viewer, terminal);
      case "pty:ask":
        return this.#ask(viewer, terminal);
      case "pty:give":
        return this.#give(viewer, terminal, request.peer);
      case "pty:private":
        return refuse(caller, terminal, this.#openness.setPrivate(caller, terminal, request.on));
      case "pty:agents-type": {
        const { on, grants } = request;
        const refused = this.#openness.letAgentsType(caller, terminal, on, grants);
        return refuse(caller, terminal, refused);
      }
      case "pty:pin":
        return refuse(caller, terminal, this.#openness.pin(caller, terminal, request.on, request));
      case "pty:record":
        return this.#record(caller, terminal, request.on);
      case "pty:step-in":
        return this.#answer(caller, terminal, this.#stepping.stepIn(caller, terminal));
      case "pty:hand-back": {
        const isHidden = request.hide === true;
        const done = this.#stepping.handBack(caller, terminal, isHidden);
        return this.#answer(caller, terminal, done);
      }
      case "pty:rename":
        return refuse(caller, terminal, this.#people.rename(caller, terminal, request.name));
      case "pty:promote":
        return refuse(caller, terminal, this.#people.promote(caller, terminal));
      case "pty:close":
        return this.#close(caller, terminal);
      case "pty:ack":
        return this.#viewers.acked(viewer, terminal, request.offset);
    }
  }

  #close(caller: Caller, terminal: PoolTerminal): Promise<void> {
    return this.#answer(caller, terminal, this.#people.close(caller, terminal));
  }

  async #answer(
    caller: Caller,
    terminal: PoolTerminal,
    done: Promise<Refused | undefined>,
  ): Promise<void> {
    refuse(caller, terminal, await done);
  }

  async #record(caller: Caller, terminal: PoolTerminal, on: boolean): Promise<void> {
    const done = await (on
      ? this.#recording?.start(caller, terminal)
      : this.#recording?.stop(caller, terminal));
    return refuse(caller, terminal, done?.ok === false ? done : undefined);
  }

  #ask(viewer: Peer, terminal: PoolTerminal): void {
    const driver = this.#viewers.driverOf(terminal);
    const grant = viewer.caller.grant();
    if (driver === undefined) return this.#viewers.drives(viewer, terminal);
    if (driver === viewer || grant === undefined) return undefined;
    const { name } = viewer.caller.standing ?? {};
    return driver.caller.tell(askedWords(terminal.id, viewer.number, nameOf(grant), name));
  }

  #give(viewer: Peer, terminal: PoolTerminal, to: number): void {
    const next = this.#viewers.get(to);
    const { caller } = viewer;
    if (this.#viewers.driverOf(terminal) !== viewer) {
      const error = "Only the person typing can hand over; take over with pty:drive";
      return caller.tell(errorWords("forbidden", error, terminal.id));
    }
    if (next?.attached.has(terminal.id) !== true) {
      const error = "That viewer is no longer here";
      return caller.tell(errorWords("not_found", error, terminal.id));
    }
    return this.#viewers.drives(next, terminal);
  }
}

function refuse(caller: Caller, { id }: PoolTerminal, refused: Refused | undefined): void {
  if (refused !== undefined) caller.tell(errorWords(refused.code, refused.error, id));
}
