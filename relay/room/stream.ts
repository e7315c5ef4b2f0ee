// Owns one tunnelled request's answer while it comes in: a union with one member per state, moved
// on by the bridge's frames. The tunnel owns time, limits per grant and the frames going out.

import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { StreamCancel, StreamHead } from "../../protocol/http.ts";
import { parsePayload } from "../../protocol/json.ts";
import { MAX_HTTP_BODY } from "../../protocol/limits.ts";

export type Answer =
  | { readonly state: "waiting" }
  | {
      readonly state: "reading";
      readonly head: StreamHead;
      /** Grows in place: an answer in many small pieces must not be copied for each. */
      readonly parts: Uint8Array[];
      readonly size: number;
    }
  | { readonly state: "whole"; readonly head: StreamHead; readonly body: Uint8Array }
  /** The bridge gave up, or sent what is no answer. `told` when the bridge knows of the end. */
  | { readonly state: "failed"; readonly error: string; readonly told: boolean };

export const WAITING: Answer = { state: "waiting" };

export function advance(answer: Answer, frame: Frame): Answer {
  if (answer.state === "whole" || answer.state === "failed") return answer;
  switch (frame.type) {
    case FrameType.streamHead:
      return begin(answer, frame.payload);
    case FrameType.streamData:
      return grow(answer, frame.payload);
    case FrameType.streamEnd:
      if (answer.state === "waiting") return fail("The bridge ended its answer before it began.");
      return { state: "whole", head: answer.head, body: concat(answer.parts, answer.size) };
    case FrameType.streamCancel: {
      const cancel = parsePayload(StreamCancel, frame.payload);
      const reason = cancel.ok ? cancel.value.reason : "no reason given";
      return { state: "failed", error: `The bridge gave the request up: ${reason}`, told: true };
    }
    default:
      return fail("The bridge sent a frame that is no part of an answer.");
  }
}

function begin(answer: Answer, payload: Uint8Array): Answer {
  if (answer.state !== "waiting") return fail("The bridge began its answer twice.");
  const head = parsePayload(StreamHead, payload);
  if (!head.ok) return fail("The bridge's answer has no proper head.");
  // Nobody asked for one, and the two legs after this would disagree about it.
  const encoded = head.value.headers.some(([name]) => name.toLowerCase() === "content-encoding");
  if (encoded) return fail("The bridge's answer is encoded.");
  return { state: "reading", head: head.value, parts: [], size: 0 };
}

function grow(answer: Answer, payload: Uint8Array): Answer {
  if (answer.state !== "reading") return fail("The bridge sent a body before its head.");
  const size = answer.size + payload.length;
  if (size > MAX_HTTP_BODY) return fail(`The answer has more than ${MAX_HTTP_BODY} bytes.`);
  answer.parts.push(payload);
  return { ...answer, size };
}

function concat(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fail(error: string): Answer {
  return { state: "failed", error, told: false };
}
