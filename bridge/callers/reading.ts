// Owns reading a message by its schema, with the sentence for what does not fit: it quotes the type, and
// never more of a client's own words than an error has room for. Pure.

import type * as z from "zod/mini";
import type { Parsed } from "../../protocol/json.ts";
import { parseValue } from "../../protocol/json.ts";

/** A message as the hub hands it on: parsed once, an object with a type. */
export interface Message {
  readonly type: string;
  readonly [field: string]: unknown;
}

const TYPE_CHARS = 60;
const ID_CHARS = 64;

export function readMessage<T>(schema: z.ZodMiniType<T>, message: Message): Parsed<T> {
  const parsed = parseValue(schema, message);
  return parsed.ok ? parsed : { ok: false, error: `${typeOf(message)}: ${parsed.error}` };
}

/** Its type, as an error quotes it. */
export function typeOf({ type }: Message): string {
  return type.slice(0, TYPE_CHARS);
}

/** What the message is about, to be told with what went wrong. */
export function idOf({ id }: Message): string | undefined {
  return typeof id === "string" ? id.slice(0, ID_CHARS) : undefined;
}
