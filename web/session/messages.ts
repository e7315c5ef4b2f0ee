// Owns reading what the room sends. Anything that is not a message of the dialect is no message:
// the answers to our pings, and whatever a newer bridge may say.

import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Output } from "../../protocol/output.ts";
import { decodeOffset, decodeOutput } from "../../protocol/output.ts";
import type { PtyServerMessage } from "../../protocol/pty.ts";

const TYPES: ReadonlySet<unknown> = new Set<PtyServerMessage["type"]>([
  "pty:attached",
  "pty:exit",
  "pty:error",
  "pty:resized",
  "pty:driver",
  "pty:asked",
  "pty:titled",
  "pty:terminals",
  "bridge",
  "pairpty:ping",
  "terminal",
]);

export function readMessage(data: unknown): PtyServerMessage | undefined {
  if (typeof data !== "string" || !data.startsWith("{")) return undefined;
  try {
    const message: unknown = JSON.parse(data);
    return isMessage(message) ? message : undefined;
  } catch {
    return undefined;
  }
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

/** By its type alone: the room is where this page came from, and the schemas would double it. */
function isMessage(value: unknown): value is PtyServerMessage {
  return typeof value === "object" && value !== null && "type" in value && TYPES.has(value.type);
}
