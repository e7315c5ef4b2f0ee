// Owns the pty dialect on people's sockets: validates each message, checks its right and passes it
// to its handler, or answers with a pty:error. The people's service decides what they may do; the
// viewers handle attaching.

import type { ErrorCode } from "../../../protocol/codes.ts";
import { parseValue } from "../../../protocol/json.ts";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import type { PtyRequestOf } from "../../../protocol/pty-requests.ts";
import { findPtyRequest, isPtyInput, PTY_REQUESTS } from "../../../protocol/pty-requests.ts";
import { toBytes } from "../../../protocol/text.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Dialect } from "../../callers/dialect-interface.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { getMessageId, quoteType } from "../../callers/message-parsing.ts";
import { hasPermission, permissionDenial } from "../../callers/permissions.ts";
import type { Grant } from "../../grants/grant-table.ts";
import type { ForegroundPrograms } from "../../people/foreground-programs.ts";
import type { PeopleTerminals, Refusal } from "../../people/people-terminals.ts";
import type { PresenceTracker } from "../../people/presence-tracker.ts";
import type { SteppingIn } from "../../people/stepping-in.ts";
import type { TerminalSharing } from "../../people/terminal-sharing.ts";
import { isReply } from "../../screens/query-filter.ts";
import type { Viewers } from "../../viewers/viewers.ts";
import type { PtyCall, PtyHandlers, PtyHandlersDeps, PtyOutcome } from "./pty-handlers.ts";
import { createPtyHandlers, handleRequest } from "./pty-handlers.ts";
import { encodeError, encodeRunning, encodeTerminals } from "./pty-messages.ts";

/** The parts of the people's services and the viewers that this dialect uses. */
export interface PtyDialectDeps extends PtyHandlersDeps {
  readonly people: PtyHandlersDeps["people"] & Pick<PeopleTerminals, "onLeft" | "list" | "type">;
  readonly terminalSharing: PtyHandlersDeps["terminalSharing"] &
    Pick<TerminalSharing, "onLeft" | "onVisibilityChanged">;
  readonly steppingIn: PtyHandlersDeps["steppingIn"] & Pick<SteppingIn, "onJoined" | "onLeft">;
  readonly viewers: PtyHandlersDeps["viewers"] & Pick<Viewers, "findByCaller" | "setMayType">;
  /** Receives what people look at and type into. */
  readonly presence: Pick<PresenceTracker, "onAttachmentsChanged" | "markTyping">;
  /** Provides the foreground program of each terminal. */
  readonly foreground?: Pick<ForegroundPrograms, "list"> | undefined;
}

export class PtyDialect implements Dialect {
  readonly prefix = "pty:";
  readonly doors = ["people", "terminal"] as const;
  readonly lateSafeTypes = PTY_REQUESTS.flatMap(({ isLateSafe, schema }) =>
    isLateSafe === true ? schema.shape.type.def.values : [],
  );
  readonly #deps: PtyDialectDeps;
  readonly #handlers: PtyHandlers;

  constructor(deps: PtyDialectDeps) {
    this.#deps = deps;
    this.#handlers = createPtyHandlers(deps);
  }

  /** Sends the list of terminals; also called when the bridge reconnects. */
  onJoin(caller: Caller): void {
    const viewer = this.#deps.viewers.findByCaller(caller);
    const grant = caller.grant();
    if (viewer === undefined || grant === undefined) return;
    const list = this.#deps.people.list(caller);
    for (const message of encodeTerminals(list, grant.role, viewer.number)) caller.send(message);
    const ids = new Set(list.map(({ id }) => id));
    const running = this.#deps.foreground?.list().filter(({ id }) => ids.has(id)) ?? [];
    for (const message of encodeRunning(running)) caller.send(message);
    this.#deps.steppingIn.onJoined(caller);
  }

  onLeave(caller: Caller): void {
    this.#deps.people.onLeft(caller);
    this.#deps.terminalSharing.onLeft(caller);
    this.#deps.steppingIn.onLeft(caller);
  }

  /** Applies changed rights. Losing edit rights releases everything the caller was driving. */
  onRightsChange(caller: Caller, before: Grant): void {
    const viewer = this.#deps.viewers.findByCaller(caller);
    if (viewer === undefined) return;
    const mayType = hasPermission(caller.grant(), "change");
    if (!mayType) this.onLeave(caller);
    this.#deps.viewers.setMayType(viewer, mayType);
    this.#deps.terminalSharing.onVisibilityChanged(caller, before);
  }

  onMessage({ caller, grant }: Sender, message: Message): void | Promise<void> {
    const viewer = this.#deps.viewers.findByCaller(caller);
    if (viewer === undefined) return undefined;
    const call = { caller, grant, viewer };
    // Hot path (every keystroke): no schema, and the service alone decides.
    if (isPtyInput(message)) return this.#type(call, message);
    const row = findPtyRequest(message.type);
    const parsed = row && parseValue(row.schema, message);
    if (row === undefined || parsed?.ok !== true || parsed.value.type === "pty:input")
      return caller.send(encodeInvalid(message, parsed?.ok === false ? parsed.error : undefined));
    const request = parsed.value;
    const denial = permissionDenial(caller, row.requires, grant);
    if (denial !== undefined) return caller.send(encodeError("forbidden", denial, request.id));
    return sendRefusal(caller, request.id, handleRequest(this.#handlers, call, request));
  }

  requiresCode(message: Message): boolean {
    return findPtyRequest(message.type)?.requiresCode?.(message) === true;
  }

  error(code: ErrorCode, sentence: string, id?: string): string {
    return encodeError(code, sentence, id);
  }

  #type({ caller, grant, viewer }: PtyCall, request: PtyRequestOf<"pty:input">): void {
    const { id, data, reply } = request;
    // A terminal's own reply to a query: the bridge has answered already.
    if (reply !== "clipboard" && isReply(data)) return;
    const { people, presence } = this.#deps;
    const refused = people.type(caller, id, toBytes(data), { grant, viewer });
    if (refused === undefined) presence.markTyping(caller, id);
    else caller.send(encodeError(refused.code, refused.error, id));
  }
}

/** Sends a refusal as an error, now or when it is known. */
function sendRefusal(caller: Caller, id: string, outcome: PtyOutcome): void | Promise<void> {
  const send = (refused: Refusal | undefined | void): void => {
    if (refused !== undefined) caller.send(encodeError(refused.code, refused.error, id));
  };
  return outcome instanceof Promise ? outcome.then(send) : send(outcome);
}

/** Returns the error for an invalid message, with its id if it had one. */
function encodeInvalid(message: Message, problem: string | undefined): string {
  const { data } = message;
  const [id, type] = [getMessageId(message), quoteType(message)];
  if (problem === undefined) return encodeError("bad_request", `Unknown message type: ${type}`, id);
  if (type === "pty:input" && typeof data === "string" && data.length > MAX_INPUT_CHARS) {
    const error = `Input of ${data.length} characters is over ${MAX_INPUT_CHARS}; send it in pieces`;
    return encodeError("too_large", error, id);
  }
  return encodeError("bad_request", `${type}: ${problem}`, id);
}
