// Owns parsing the requests of a person's client, and the errors for invalid ones. Pure.

import type { Parsed } from "../../../protocol/json.ts";
import { parseValue } from "../../../protocol/json.ts";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import { isInput, PtyRequest } from "../../../protocol/pty.ts";
import type { Message } from "../../callers/reading.ts";
import { idOf, typeOf } from "../../callers/reading.ts";
import type { Act } from "../../callers/rights.ts";
import { errorWords } from "./words.ts";

/** Parses a request. Input skips the schema, which checks the same and is slower. */
export function readRequest(message: Message): Parsed<PtyRequest> {
  return isInput(message) ? { ok: true, value: message } : parseValue(PtyRequest, message);
}

/** Returns the right that a request needs. */
export function actOf({ type }: PtyRequest): Act {
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
export function explain(message: Message, problem: string): string {
  const { data } = message;
  const [id, type] = [idOf(message), typeOf(message)];
  if (type === "pty:input" && typeof data === "string" && data.length > MAX_INPUT_CHARS) {
    const error = `Input of ${data.length} characters is over ${MAX_INPUT_CHARS}; send it in pieces`;
    return errorWords("too_large", error, id);
  }
  const known = PtyRequest.def.options.some((option) => option.shape.type.def.values[0] === type);
  if (!known) return errorWords("bad_request", `Unknown message type: ${type}`, id);
  return errorWords("bad_request", `${type}: ${problem}`, id);
}
