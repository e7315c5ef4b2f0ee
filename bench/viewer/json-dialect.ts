// Owns the plain rendition as a viewer speaks it: the documented messages and optional acks.
// The bare chain's near end speaks it too.

import type { Dialect, Received } from "./dialect.ts";

export interface Words {
  readonly type: string;
  readonly id?: string;
  readonly data?: string;
  readonly history?: string;
  readonly offset?: number;
  readonly next?: number;
  readonly error?: string;
  readonly channel?: number;
  readonly snapshot?: string;
  readonly n?: number;
}

export function jsonDialect(): Dialect {
  const say = (message: object) => JSON.stringify(message);
  return {
    hello: () => [],
    attach: (id) => [say({ type: "pty:attach", id })],
    input: (id, data) => say({ type: "pty:input", id, data }),
    ack: (rendered, proof) => [
      ...[...rendered].map(([id, offset]) => say({ type: "pty:ack", id, offset })),
      ...(proof === undefined ? [] : [say({ type: "pairpty:pong", n: proof })]),
    ],
    hear: (data) => (isJson(data) ? meaning(parse(data)) : undefined),
    body: (data) => parse(data).data ?? "",
  };
}

export function meaning(words: Words): Received | undefined {
  const { type, id = "", data = "", history = "", offset = 0, next = 0 } = words;
  if (type === "pty:output") return { is: "output", id, data, offset, next };
  if (type === "pty:attached") {
    return { is: "attached", id, text: words.snapshot ?? history, next };
  }
  if (type === "pairpty:ping") return { is: "asked", n: words.n ?? 0 };
  if (type === "pty:error") return { is: "failed", error: words.error ?? "an error" };
  return undefined;
}

/** Answers to pings are none. */
export function isJson(data: Buffer): boolean {
  return data[0] === 0x7b;
}

export function parse(data: Buffer): Words {
  return JSON.parse(data.toString());
}
