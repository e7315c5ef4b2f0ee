// Owns which messages this page exchanges with the room, and reading them. Anything else is no
// message: the answers to our pings, and whatever a newer bridge may say.

import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Output } from "../../protocol/output.ts";
import { decodeOffset, decodeOutput } from "../../protocol/output.ts";
import type { BridgeState, Ping, Pong } from "../../protocol/pty.ts";
import type { Handling, HearsOf, SaysOf } from "./dialect.ts";
import type { DIALECTS } from "./dialects.ts";

/** What the room itself says, in no dialect: the visit's own to handle. */
export type RoomsOwn = BridgeState | Ping;

/** What this page may say. */
export type PageRequest = SaysOf<typeof DIALECTS> | Pong;

/** What it may be told. */
export type PageMessage = HearsOf<typeof DIALECTS> | RoomsOwn;

/** Hands a message to the handler of its type. */
export function deliver(handlers: Handling, data: unknown): void {
  const message = parse(data);
  if (hasType(message) && Object.hasOwn(handlers, message.type)) handlers[message.type]?.(message);
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
  /** A span of 0 has a message as its body. */
  | { readonly is: "output"; readonly channel: number; readonly output: Output }
  /** The room wants to have this number back. */
  | { readonly is: "proof"; readonly n: number };

/** A binary message is one frame. */
export function readBinary(data: ArrayBuffer): BinaryMessage | undefined {
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
