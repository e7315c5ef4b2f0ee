// Owns which messages this page exchanges with the room, and reading them. Anything else is no
// message: the answers to our pings, and whatever a newer bridge may say.

import type { ApprovalAnswer, ApprovalServerMessage } from "../../protocol/approval.ts";
import type { AuditRequest, AuditServerMessage } from "../../protocol/audit.ts";
import type {
  ConversationClientMessage,
  ConversationServerMessage,
} from "../../protocol/conversation.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Output } from "../../protocol/output.ts";
import { decodeOffset, decodeOutput } from "../../protocol/output.ts";
import type { PtyRequest, PtyServerMessage } from "../../protocol/pty.ts";
import type { RoomRequest, RoomServerMessage } from "../../protocol/room.ts";

/** What this page may say. */
export type PageRequest =
  | PtyRequest
  | ApprovalAnswer
  | AuditRequest
  | ConversationClientMessage
  | RoomRequest;

/** What it may be told. */
export type PageMessage =
  | PtyServerMessage
  | ApprovalServerMessage
  | AuditServerMessage
  | ConversationServerMessage
  | RoomServerMessage;

/** The same by its type: the protocol's unions as a table. */
type Messages = { readonly [M in PageMessage as M["type"]]: M };

/** One for each type of the protocol; a new one there is missing here until it is handled. */
export type Handlers = { readonly [T in keyof Messages]: (message: Messages[T]) => void };

/** Hands a message to its handler. */
export function deliver(handlers: Handlers, data: unknown): void {
  const message = parse(data);
  if (isFor(handlers, message)) hand(handlers, message.type, message);
}

function parse(data: unknown): unknown {
  if (typeof data !== "string" || !data.startsWith("{")) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** By its type alone: the room is where this page came from, and the schemas would double it. */
function isFor(handlers: Handlers, value: unknown): value is PageMessage {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && Object.hasOwn(handlers, value.type);
}

function hand<T extends keyof Messages>(handlers: Handlers, type: T, message: Messages[T]): void {
  handlers[type](message);
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
