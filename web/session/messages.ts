// Owns which messages this page exchanges with the room, and parsing them. Anything else is
// ignored: answers to our pings, and messages of a newer bridge.

import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Output } from "../../protocol/output.ts";
import { decodeOffset, decodeOutput } from "../../protocol/output.ts";
import type { Pong, RoomEvent } from "../../protocol/pty.ts";
import type { MessageHandlers, ReceivedBy, SentBy } from "./dialect.ts";
import type { DIALECTS } from "./dialects.ts";

/** All messages that this page may send. */
export type PageRequest = SentBy<typeof DIALECTS> | Pong;

/** All messages that this page may receive. */
export type PageMessage = ReceivedBy<typeof DIALECTS> | RoomEvent;

/**
 * Handlers by who makes a message: the room itself (besides closing the socket), or the bridge. No
 * type is in both.
 */
export interface HandlersByMaker {
  readonly room: MessageHandlers;
  readonly bridge: MessageHandlers;
}

/** Passes a message of the socket to the handler of its type. */
export function dispatchMessage({ room, bridge }: HandlersByMaker, data: unknown): void {
  const message = parse(data);
  if (hasType(message) && !handle(room, message)) handle(bridge, message);
}

/** Passes a message that came in a terminal's output, where only the bridge puts messages. */
export function dispatchBridgeMessage(
  { bridge }: Pick<HandlersByMaker, "bridge">,
  data: string,
): void {
  const message = parse(data);
  if (hasType(message)) handle(bridge, message);
}

function handle(handlers: MessageHandlers, message: { readonly type: string }): boolean {
  if (!Object.hasOwn(handlers, message.type)) return false;
  handlers[message.type]?.(message);
  return true;
}

function parse(data: unknown): unknown {
  if (typeof data !== "string" || !data.startsWith("{")) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function hasType(value: unknown): value is { readonly type: string } {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string";
}

export type BinaryMessage =
  /** With a span of 0, the body is a message. */
  | { readonly is: "output"; readonly channel: number; readonly output: Output }
  /** The room expects this number back as proof that the page reads. */
  | { readonly is: "proof"; readonly n: number };

/** Parses a binary message, which is one frame. */
export function parseBinary(data: ArrayBuffer): BinaryMessage | undefined {
  const decoded = decodeFrames(new Uint8Array(data));
  const [frame] = decoded.frames;
  if (!decoded.ok || frame === undefined) return undefined;
  if (frame.type === FrameType.proof) {
    const n = decodeOffset(frame.payload);
    return n === undefined ? undefined : { is: "proof", n };
  }
  const output = frame.type === FrameType.output ? decodeOutput(frame.payload) : undefined;
  return output && { is: "output", channel: frame.stream, output };
}
