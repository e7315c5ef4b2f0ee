// Owns the panel dialect on people's sockets: validates each message and carries it out, or answers
// with an error. The panels' service decides what panels do. Also owns encoding the panel dialect's
// messages.

import { compact } from "../../../protocol/compact.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import { parseValue } from "../../../protocol/json.ts";
import type {
  PanelError,
  PanelRequest,
  PanelEvent,
  PanelPayload,
} from "../../../protocol/panel.ts";
import {
  PanelEnvelope,
  PanelRequest as PanelRequestSchema,
  SessionDeleted,
  PANEL_TYPE,
} from "../../../protocol/panel.ts";
import type { Caller, Sender } from "../../callers/caller.ts";
import type { Dialect } from "../../callers/dialect-interface.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { parseMessage, quoteType } from "../../callers/message-parsing.ts";
import type { PanelAddress } from "../../panels/panel-targets.ts";
import { findSessionId } from "../../panels/panel-targets.ts";
import type { Panels } from "../../panels/panels.ts";
import { toErrorStatus } from "../../panels/panel-results.ts";
import type { PeopleTerminals } from "../../people/people-terminals.ts";
import { isReply } from "../../screens/query-filter.ts";
import type { ViewerMessages } from "../../viewers/viewer-ports.ts";

const SESSION_DELETED = "session_deleted";

export class PanelDialect implements Dialect {
  readonly prefix = "panel_";
  readonly doors = ["people", "terminal"] as const;
  readonly types = [SESSION_DELETED];
  readonly #panels: Panels;
  readonly #people: Pick<PeopleTerminals, "denialReason">;

  constructor(panels: Panels, people: Pick<PeopleTerminals, "denialReason">) {
    this.#panels = panels;
    this.#people = people;
  }

  onLeave(caller: Caller): void {
    this.#panels.removeCaller(caller);
  }

  onMessage({ caller }: Sender, message: Message): void | Promise<void> {
    if (message.type === SESSION_DELETED) return this.#onSessionDeleted(caller, message);
    const parsed = parseValue(PanelRequestSchema, message);
    if (!parsed.ok) return caller.send(this.#encodeInvalid(caller, message, parsed.error));
    const { panelId, sessionId, payload } = parsed.value;
    const session = sessionId ?? undefined;
    const place = this.#panels.toAddress(caller, panelId, session);
    if (place === undefined) return undefined;
    this.#panels.logReceived(place, payload);
    if (session !== undefined) this.#panels.join(caller, session);
    const refusal = this.#people.denialReason(caller, "change");
    if (refusal === undefined) return this.#handle(caller, place, payload);
    // A message from a view link only joins its session.
    const isJoining = session !== undefined && payload.type === "panel_lifecycle";
    return isJoining ? undefined : caller.send(encodePanelEvent(place, toErrorStatus(refusal)));
  }

  error(code: ErrorCode, error: string): string {
    return JSON.stringify({ type: "panel_error", code, error } satisfies PanelError);
  }

  #handle(
    caller: Caller,
    place: PanelAddress,
    payload: PanelRequest["payload"],
  ): void | Promise<void> {
    switch (payload.type) {
      case "panel_lifecycle":
        return payload.state === "opened"
          ? this.#panels.open(caller, place)
          : this.#panels.close(caller, place);
      case "terminal_input":
        // A terminal's own reply to a query: the bridge has answered already.
        return isReply(payload.text) ? undefined : this.#panels.input(caller, place, payload.text);
      case "terminal_resize":
        return this.#panels.resize(caller, place, payload);
      case "terminal_snapshot_response":
        return this.#panels.completeCapture(place, payload.requestId, payload.snapshot);
      case "terminal_snapshot_error":
        return this.#panels.completeCapture(place, payload.requestId, payload.message);
      case "panel_session_changed": {
        const before = payload.previousSessionId ?? undefined;
        const from = this.#panels.toAddress(caller, place.panelId, before);
        return from === undefined ? undefined : this.#panels.move(caller, from, place);
      }
    }
  }

  #onSessionDeleted(caller: Caller, message: Message): void | Promise<void> {
    const refusal = this.#people.denialReason(caller, "change");
    if (refusal !== undefined) return caller.send(this.error("forbidden", refusal));
    const parsed = parseMessage(SessionDeleted, message);
    if (!parsed.ok) return caller.send(this.error("bad_request", parsed.error));
    return this.#panels.deleteSession(caller, parsed.value.sessionId);
  }

  /** Returns the error for an invalid message, addressed to its panel if it names one. */
  #encodeInvalid(caller: Caller, message: Message, problem: string): string {
    const type = quoteType(message);
    const sentence =
      type === "panel_event" ? `panel_event: ${problem}` : `Unknown message type: ${type}`;
    const envelope = parseValue(PanelEnvelope, message);
    if (!envelope.ok) return this.error("bad_request", sentence);
    const { panelId, sessionId } = envelope.value;
    const place = this.#panels.toAddress(caller, panelId, sessionId ?? undefined);
    if (place === undefined) return this.error("bad_request", sentence);
    return encodePanelEvent(place, toErrorStatus(sentence));
  }
}

/** Resets the terminal with modes and scrollback: the data that follows replaces everything. */
const RESET_SEQUENCE = "\u001bc";

/** Stands for the panel of a terminal that no longer has one. */
const NO_PANEL: PanelAddress = { panelId: "", scope: "connection", scopeId: "" };

export function encodePanelEvent(place: PanelAddress, payload: PanelPayload): string {
  return JSON.stringify({ ...toEnvelope(place), payload } satisfies PanelEvent);
}

function toEnvelope(place: PanelAddress): Omit<PanelEvent, "payload"> {
  const sessionId = findSessionId(place);
  return {
    type: "panel_event",
    panelId: place.panelId,
    panelType: PANEL_TYPE,
    ...compact({ sessionId }),
  };
}

/** Returns the encoder for viewers of panels; `findPlace` finds a terminal's panel. */
export function toPanelViewerMessages(
  findPlace: (id: string) => PanelAddress | undefined,
): ViewerMessages {
  const place = (id: string) => findPlace(id) ?? NO_PANEL;
  return {
    // A resume needs no message: output continues.
    attached: ({ id, history, offset, next }) => {
      if (history === undefined || (history === "" && offset === 0)) return undefined;
      const data = RESET_SEQUENCE + history;
      return encodePanelEvent(place(id), { type: "terminal_output", data, offset, next });
    },
    // Encoded by hand, since this runs for every chunk of output: only `data` needs quoting.
    output: (id) => {
      const head = JSON.stringify(toEnvelope(place(id))).slice(0, -1);
      return (text, offset, next) =>
        `${head},"payload":{"type":"terminal_output","data":${JSON.stringify(text)},"offset":${offset},"next":${next}}}`;
    },
    exit: (id, exit) =>
      encodePanelEvent(place(id), { type: "terminal_status", state: "closed", ...exit }),
    resized: () => undefined,
    driver: () => undefined,
    error: (_code, sentence, id) => encodePanelEvent(place(id ?? ""), toErrorStatus(sentence)),
  };
}
