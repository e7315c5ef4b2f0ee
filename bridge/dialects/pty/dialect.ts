// Owns the pty dialect on people's sockets: validates each message and carries it out, or answers
// with a pty:error. The people's service decides what they may do; the viewers handle attaching.

import type { ErrorCode } from "../../../protocol/codes.ts";
import type { PtyRequest } from "../../../protocol/pty.ts";
import { toBytes } from "../../../protocol/text.ts";
import type { Caller } from "../../callers/caller.ts";
import { linkName } from "../../callers/caller.ts";
import type { Dialect } from "../../callers/hub.ts";
import type { Message } from "../../callers/message-parsing.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { TerminalSharing } from "../../people/terminal-sharing.ts";
import type { ForegroundPrograms } from "../../people/foreground-programs.ts";
import type { PeopleTerminals, Refusal } from "../../people/people-terminals.ts";
import type { SteppingIn } from "../../people/stepping-in.ts";
import type { Recordings } from "../../recordings/recordings.ts";
import { isReply } from "../../screens/query-filter.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import type { Peer } from "../../viewers/peer-table.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import { getRequiredPermission, encodeRequestError, parseRequest } from "./pty-request.ts";
import { encodeAsked, encodeError, encodeRunning, encodeTerminals } from "./pty-messages.ts";

/** The parts of the people's service and the viewers that this dialect uses. */
type People = Pick<
  PeopleTerminals,
  | "close"
  | "find"
  | "onLeft"
  | "list"
  | "promote"
  | "rename"
  | "type"
  | "inputBlockedReason"
  | "denialReason"
>;
type ViewersPort = Pick<
  Viewers,
  | "onAck"
  | "attach"
  | "detach"
  | "getDriver"
  | "setDriver"
  | "get"
  | "findByCaller"
  | "requestSize"
  | "setMayType"
  | "typeAs"
  | "setView"
>;

type TerminalSharingPort = Pick<
  TerminalSharing,
  "setPrivate" | "letAgentsType" | "onLeft" | "pin" | "onVisibilityChanged"
>;
type SteppingInPort = Pick<SteppingIn, "stepIn" | "handBack" | "onJoined" | "onLeft">;

/** Receives what people look at and type into. */
export type PresencePort = Pick<PresenceTracker, "onAttachmentsChanged" | "markTyping">;
/** The parts of the recordings that this dialect uses. */
export type RecordingPort = Pick<Recordings, "start" | "stop">;
const NO_PRESENCE: PresencePort = { onAttachmentsChanged: () => {}, markTyping: () => {} };

/** Provides the foreground program of each terminal. */
export type ForegroundPort = Pick<ForegroundPrograms, "list">;

export class PtyDialect implements Dialect {
  readonly prefix = "pty:";
  readonly doors = ["people", "terminal"] as const;
  readonly lateSafeTypes = ["pty:attach", "pty:detach", "pty:ack", "pty:view", "pty:resize"];
  readonly #people: People;
  readonly #terminalSharing: TerminalSharingPort;
  readonly #steppingIn: SteppingInPort;
  readonly #viewers: ViewersPort;
  readonly #presence: PresencePort;
  readonly #recording: RecordingPort | undefined;
  readonly #foreground: ForegroundPort | undefined;

  constructor(
    people: People,
    terminalSharing: TerminalSharingPort,
    steppingIn: SteppingInPort,
    viewers: ViewersPort,
    presence: PresencePort = NO_PRESENCE,
    foreground?: ForegroundPort,
    recording?: RecordingPort,
  ) {
    this.#foreground = foreground;
    this.#people = people;
    this.#terminalSharing = terminalSharing;
    this.#steppingIn = steppingIn;
    this.#viewers = viewers;
    this.#presence = presence;
    this.#recording = recording;
  }

  /** Sends the list of terminals; also called when the bridge reconnects. */
  onJoin(caller: Caller): void {
    const viewer = this.#viewers.findByCaller(caller);
    const grant = caller.grant();
    if (viewer === undefined || grant === undefined) return;
    const list = this.#people.list(caller);
    for (const message of encodeTerminals(list, grant.role, viewer.number)) caller.send(message);
    const ids = new Set(list.map(({ id }) => id));
    const running = this.#foreground?.list().filter(({ id }) => ids.has(id)) ?? [];
    for (const message of encodeRunning(running)) caller.send(message);
    this.#steppingIn.onJoined(caller);
  }

  onLeave(caller: Caller): void {
    this.#people.onLeft(caller);
    this.#terminalSharing.onLeft(caller);
    this.#steppingIn.onLeft(caller);
  }

  /** Applies changed rights. Losing edit rights releases everything the caller was driving. */
  onRightsChange(caller: Caller, before: Grant): void {
    const viewer = this.#viewers.findByCaller(caller);
    if (viewer === undefined) return;
    const mayType = this.#people.denialReason(caller, "change") === undefined;
    if (!mayType) this.onLeave(caller);
    this.#viewers.setMayType(viewer, mayType);
    this.#terminalSharing.onVisibilityChanged(caller, before);
  }

  onMessage(caller: Caller, message: Message): void | Promise<void> {
    const viewer = this.#viewers.findByCaller(caller);
    if (viewer === undefined) return;
    const parsed = parseRequest(message);
    if (!parsed.ok) return caller.send(encodeRequestError(message, parsed.error));
    const request = parsed.value;
    const refusal = this.#people.denialReason(caller, getRequiredPermission(request));
    if (refusal !== undefined) return caller.send(encodeError("forbidden", refusal, request.id));
    const terminal = this.#people.find(caller, request.id);
    if (terminal === undefined) {
      return caller.send(encodeError("not_found", "Session not found", request.id));
    }
    return this.#handle(viewer, terminal, request);
  }

  /** Whether the message allows agents to use a terminal. */
  requiresCode({ type, on }: Message): boolean {
    return type === "pty:agents-type" && on === true;
  }

  error(code: ErrorCode, sentence: string, id?: string): string {
    return encodeError(code, sentence, id);
  }

  #handle(viewer: Peer, terminal: PoolTerminal, request: PtyRequest): void | Promise<void> {
    const { caller } = viewer;
    switch (request.type) {
      case "pty:attach": {
        const { epoch, offset } = request;
        const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset };
        const mayType = this.#people.denialReason(caller, "change") === undefined;
        this.#viewers.attach(viewer, terminal, mayType, place);
        return this.#presence.onAttachmentsChanged(caller);
      }
      case "pty:detach":
        this.#viewers.detach(viewer, terminal);
        return this.#presence.onAttachmentsChanged(caller);
      case "pty:input": {
        // A terminal's own reply to a query: the bridge has answered already.
        if (request.reply !== "clipboard" && isReply(request.data)) return undefined;
        const refusal = this.#people.inputBlockedReason(caller, terminal);
        if (refusal !== undefined) {
          return caller.send(encodeError("forbidden", refusal, terminal.id));
        }
        const bytes = toBytes(request.data);
        const type = () => this.#people.type(caller, terminal, bytes);
        this.#viewers.typeAs(viewer, terminal, type);
        return this.#presence.markTyping(caller, terminal.id);
      }
      case "pty:resize":
        return this.#viewers.requestSize(viewer, terminal, request);
      case "pty:view":
        return this.#viewers.setView(viewer, terminal, request, request.visible);
      case "pty:drive":
        return this.#viewers.setDriver(viewer, terminal);
      case "pty:ask":
        return this.#requestDriving(viewer, terminal);
      case "pty:give":
        return this.#handOver(viewer, terminal, request.peer);
      case "pty:private":
        return sendRefusal(
          caller,
          terminal,
          this.#terminalSharing.setPrivate(caller, terminal, request.on),
        );
      case "pty:agents-type": {
        const { on, grants } = request;
        const refused = this.#terminalSharing.letAgentsType(caller, terminal, on, grants);
        return sendRefusal(caller, terminal, refused);
      }
      case "pty:pin":
        return sendRefusal(
          caller,
          terminal,
          this.#terminalSharing.pin(caller, terminal, request.on, request),
        );
      case "pty:record":
        return this.#record(caller, terminal, request.on);
      case "pty:step-in":
        return this.#sendLateRefusal(caller, terminal, this.#steppingIn.stepIn(caller, terminal));
      case "pty:hand-back": {
        const isHidden = request.hide === true;
        const done = this.#steppingIn.handBack(caller, terminal, isHidden);
        return this.#sendLateRefusal(caller, terminal, done);
      }
      case "pty:rename":
        return sendRefusal(caller, terminal, this.#people.rename(caller, terminal, request.name));
      case "pty:promote":
        return sendRefusal(caller, terminal, this.#people.promote(caller, terminal));
      case "pty:close":
        return this.#close(caller, terminal);
      case "pty:ack":
        return this.#viewers.onAck(viewer, terminal, request.offset);
    }
  }

  #close(caller: Caller, terminal: PoolTerminal): Promise<void> {
    return this.#sendLateRefusal(caller, terminal, this.#people.close(caller, terminal));
  }

  async #sendLateRefusal(
    caller: Caller,
    terminal: PoolTerminal,
    done: Promise<Refusal | undefined>,
  ): Promise<void> {
    sendRefusal(caller, terminal, await done);
  }

  async #record(caller: Caller, terminal: PoolTerminal, on: boolean): Promise<void> {
    const done = await (on
      ? this.#recording?.start(caller, terminal)
      : this.#recording?.stop(caller, terminal));
    return sendRefusal(caller, terminal, done?.ok === false ? done : undefined);
  }

  #requestDriving(viewer: Peer, terminal: PoolTerminal): void {
    const driver = this.#viewers.getDriver(terminal);
    const grant = viewer.caller.grant();
    if (driver === undefined) return this.#viewers.setDriver(viewer, terminal);
    if (driver === viewer || grant === undefined) return undefined;
    const { name } = viewer.caller.status ?? {};
    return driver.caller.send(encodeAsked(terminal.id, viewer.number, linkName(grant), name));
  }

  #handOver(viewer: Peer, terminal: PoolTerminal, to: number): void {
    const next = this.#viewers.get(to);
    const { caller } = viewer;
    if (this.#viewers.getDriver(terminal) !== viewer) {
      const error = "Only the person typing can hand over; take over with pty:drive";
      return caller.send(encodeError("forbidden", error, terminal.id));
    }
    if (next?.attached.has(terminal.id) !== true) {
      const error = "That viewer is no longer here";
      return caller.send(encodeError("not_found", error, terminal.id));
    }
    return this.#viewers.setDriver(next, terminal);
  }
}

function sendRefusal(caller: Caller, { id }: PoolTerminal, refused: Refusal | undefined): void {
  if (refused !== undefined) caller.send(encodeError(refused.code, refused.error, id));
}
