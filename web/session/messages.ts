// Owns reading what the room sends. Anything that is not a message of the dialect is no message:
// the answers to our pings, and whatever a newer bridge may say.

import type { PtyServerMessage } from "../../protocol/pty.ts";

const TYPES: ReadonlySet<unknown> = new Set<PtyServerMessage["type"]>([
  "pty:attached",
  "pty:output",
  "pty:exit",
  "pty:error",
  "pty:resized",
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

/** By its type alone: the room is where this page came from, and the schemas would double it. */
function isMessage(value: unknown): value is PtyServerMessage {
  return typeof value === "object" && value !== null && "type" in value && TYPES.has(value.type);
}
