// Owns parsing the requests of a person's client, and the errors for invalid ones. Pure.

import type { ParseResult } from "../../../protocol/json.ts";
import { parseValue } from "../../../protocol/json.ts";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import { isPtyInput, PtyRequest } from "../../../protocol/pty.ts";
import type { Message } from "../../callers/message-parsing.ts";
import { getMessageId, quoteType } from "../../callers/message-parsing.ts";
import type { Permission } from "../../callers/permissions.ts";
import { encodeError } from "./pty-messages.ts";

/** Parses a request. Input skips the schema, which checks the same and is slower. */
export function parseRequest(message: Message): ParseResult<PtyRequest> {
  return isPtyInput(message) ? { ok: true, value: message } : parseValue(PtyRequest, message);
}

/** Returns the right that a request needs. */
export function getRequiredPermission({ type }: PtyRequest): Permission {
  switch (type) {
    case "pty:attach":
    case "pty:detach":
    case "pty:ack":
    case "pty:view":
      return "look";
    case "pty:input":
    case "pty:resize":
    case "pty:close":
    case "pty:drive":
    case "pty:ask":
    case "pty:give":
    case "pty:private":
    case "pty:agents-type":
    case "pty:pin":
    case "pty:record":
    case "pty:step-in":
    case "pty:hand-back":
    case "pty:rename":
    case "pty:promote":
      return "change";
  }
}

/** Returns the error for an invalid message, with its id if it had one. */
export function encodeRequestError(message: Message, problem: string): string {
  const { data } = message;
  const [id, type] = [getMessageId(message), quoteType(message)];
  if (type === "pty:input" && typeof data === "string" && data.length > MAX_INPUT_CHARS) {
    const error = `Input of ${data.length} characters is over ${MAX_INPUT_CHARS}; send it in pieces`;
    return encodeError("too_large", error, id);
  }
  const known = PtyRequest.def.options.some((option) => option.shape.type.def.values[0] === type);
  if (!known) return encodeError("bad_request", `Unknown message type: ${type}`, id);
  return encodeError("bad_request", `${type}: ${problem}`, id);
}
