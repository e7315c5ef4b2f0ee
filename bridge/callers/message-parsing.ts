// Owns validating a message by its schema, and the error for one that does not fit. An error quotes
// a bounded part of the client's own text. Pure.

import type * as z from "zod/mini";
import type { ParseResult } from "../../protocol/json.ts";
import { parseValue } from "../../protocol/json.ts";

/** A message as the hub passes it on: already parsed, an object with a type. */
export interface Message {
  readonly type: string;
  readonly [field: string]: unknown;
}

const TYPE_CHARS = 60;
const ID_CHARS = 64;

export function parseMessage<T>(schema: z.ZodMiniType<T>, message: Message): ParseResult<T> {
  const parsed = parseValue(schema, message);
  return parsed.ok ? parsed : { ok: false, error: `${quoteType(message)}: ${parsed.error}` };
}

/** Returns the message's type, cut to the length that an error quotes. */
export function quoteType({ type }: Message): string {
  return type.slice(0, TYPE_CHARS);
}

/** Returns the message's `id`, cut, to send back with an error. */
export function getMessageId({ id }: Message): string | undefined {
  return typeof id === "string" ? id.slice(0, ID_CHARS) : undefined;
}
