// Owns which sealed sessions are open, by the id that their HTTP requests name. An entry exists from
// a confirmed handshake to the end of its session; what runs for it ends then.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import type { HostSession } from "./host-session.ts";
import type { SealedCaller } from "./sealed-caller.ts";

export interface OpenSession {
  readonly caller: SealedCaller;
  readonly session: HostSession;
  /** Aborts when the session ends. */
  readonly ended: AbortSignal;
}

export class SealedSessions {
  readonly #open = new Map<string, OpenSession>();

  /** Adds a session that its page has confirmed; returns its removal. */
  add(caller: SealedCaller, session: HostSession): () => void {
    const end = new AbortController();
    const key = toKey(session.id());
    this.#open.set(key, { caller, session, ended: end.signal });
    return () => {
      this.#open.delete(key);
      end.abort();
    };
  }

  find(id: Bytes): OpenSession | undefined {
    return this.#open.get(toKey(id));
  }

  get size(): number {
    return this.#open.size;
  }
}

function toKey(id: Bytes): string {
  return Buffer.from(id).toString("base64");
}
