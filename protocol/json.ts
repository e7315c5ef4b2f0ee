// Owns parsing of payloads into checked values, and the reverse. Bad input is a result, not an
// exception.

import type * as z from "zod/mini";
import { toBytes, toText } from "./text.ts";

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

export function parseText<T>(schema: z.ZodMiniType<T>, text: string): ParseResult<T> {
  const data = parseJson(text);
  return data.ok ? parseValue(schema, data.value) : data;
}

export function parseJson(text: string): ParseResult<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, error: "not JSON" };
  }
}

export function parseValue<T>(schema: z.ZodMiniType<T>, data: unknown): ParseResult<T> {
  const result = schema.safeParse(data);
  if (result.success) return { ok: true, value: result.data };
  const issue = result.error.issues[0];
  const where = issue?.path.join(".") ?? "";
  const what = issue?.message ?? "does not fit";
  return { ok: false, error: where === "" ? what : `${where}: ${what}` };
}

export function parsePayload<T>(schema: z.ZodMiniType<T>, payload: Uint8Array): ParseResult<T> {
  return parseText(schema, toText(payload));
}

export function toPayload(value: object): Uint8Array<ArrayBuffer> {
  return toBytes(JSON.stringify(value));
}

/** Whether a value is an object with a type: the least that every message is. */
export function hasType(
  value: unknown,
): value is { readonly type: string; readonly [field: string]: unknown } {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}
