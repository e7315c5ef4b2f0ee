// Owns reading what a person's client asks for, and the sentence for what is no request. Pure.

import type { Parsed } from "../../../protocol/json.ts";
import { parseJson, parseValue } from "../../../protocol/json.ts";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import { isInput, PtyRequest } from "../../../protocol/pty.ts";
import { errorWords } from "./words.ts";

/** How close to its limit an error may repeat a client's own words. */
const QUOTED_CHARS = 60;

/** Typed text is read without the schema, which says the same and takes longer. */
export function readRequest(text: string): Parsed<PtyRequest> {
  const data = parseJson(text);
  if (!data.ok) return data;
  return isInput(data.value) ? { ok: true, value: data.value } : parseValue(PtyRequest, data.value);
}

/** The sentence for a message that fits no schema, with its id if it had one. */
export function explain(text: string, problem: string): string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return errorWords("bad_request", "The message is not JSON");
  }
  if (typeof data !== "object" || data === null || !("type" in data)) {
    return errorWords("bad_request", "The message is not an object with a type");
  }
  const id = "id" in data && typeof data.id === "string" ? data.id.slice(0, 64) : undefined;
  const type = String(data.type).slice(0, QUOTED_CHARS);
  if (type === "pty:input" && "data" in data && typeof data.data === "string") {
    if (data.data.length > MAX_INPUT_CHARS) {
      const error = `Input of ${data.data.length} characters is over ${MAX_INPUT_CHARS}; send it in pieces`;
      return errorWords("too_large", error, id);
    }
  }
  const known = PtyRequest.def.options.some((option) => option.shape.type.def.values[0] === type);
  if (!known) return errorWords("bad_request", `Unknown message type: ${type}`, id);
  return errorWords("bad_request", `${type}: ${problem}`, id);
}
