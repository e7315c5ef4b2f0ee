// Owns reading frames in tests: what they say, and what to call them in a sentence.

import type * as z from "zod/mini";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload } from "../../protocol/json.ts";

/** What a JSON frame says; one that does not fit its schema is the room's mistake. */
export function read<T>(schema: z.ZodMiniType<T>, frame: Frame): T {
  const parsed = parsePayload(schema, frame.payload);
  if (!parsed.ok) throw new Error(`${nameOf(frame.type)} does not fit: ${parsed.error}`);
  return parsed.value;
}

export function nameOf(type: number): string {
  return Object.entries(FrameType).find(([, number]) => number === type)?.[0] ?? String(type);
}
