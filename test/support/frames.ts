// Owns reading frames in tests: what they say, and what to call them in a sentence.

import type * as z from "zod/mini";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { parsePayload } from "../../protocol/json.ts";
import { decodeStamped } from "../../protocol/link.ts";

/** What a JSON frame says; one that does not fit its schema is the room's mistake. */
export function read<T>(schema: z.ZodMiniType<T>, frame: Frame): T {
  const parsed = parsePayload(schema, frame.payload);
  if (!parsed.ok) throw new Error(`${getName(frame.type)} does not fit: ${parsed.error}`);
  return parsed.value;
}

/** The body of a peer's message, behind the room's time; a message without one is the room's mistake. */
export function messageBody({ payload }: Pick<Frame, "payload">): Uint8Array {
  const message = decodeStamped(payload);
  if (message === undefined) throw new Error("a peer's message has no time");
  return message.body;
}

export function getName(type: number): string {
  return Object.entries(FrameType).find(([, number]) => number === type)?.[0] ?? String(type);
}
