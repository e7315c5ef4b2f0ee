// Requests screens from open panels; the first answer or the timeout settles each request.

import { randomUUID } from "node:crypto";
import type { TerminalSnapshot } from "../../protocol/panel.ts";

export type Capture =
  | { readonly ok: true; readonly snapshot: TerminalSnapshot }
  | {
      readonly ok: false;
      readonly code: "terminal_snapshot_timeout" | "terminal_snapshot_failed";
      readonly error: string;
    };

/** Each open request holds a timer. */
const MAX_OPEN_CAPTURES = 64;

export class ScreenCaptures {
  readonly #open = new Map<
    string,
    { readonly key: string; readonly settle: (capture: Capture) => void }
  >();

  /** Requests a screen; `sendRequest` sends the request to the clients that have the panel open. */
  request(
    key: string,
    timeoutMs: number,
    sendRequest: (requestId: string) => void,
  ): Promise<Capture> {
    if (this.#open.size >= MAX_OPEN_CAPTURES) {
      const error = "Too many screen requests at once; try again in a moment";
      return Promise.resolve({ ok: false, code: "terminal_snapshot_failed", error });
    }
    const requestId = randomUUID();
    const result = new Promise<Capture>((resolve) => {
      const settle = (capture: Capture) => {
        clearTimeout(timer);
        this.#open.delete(requestId);
        resolve(capture);
      };
      const timer = setTimeout(() => {
        const error = `No open panel answered within ${timeoutMs} ms; read without source to get the bridge's screen`;
        settle({ ok: false, code: "terminal_snapshot_timeout", error });
      }, timeoutMs);
      this.#open.set(requestId, { key, settle });
    });
    sendRequest(requestId);
    return result;
  }

  /** Settles a request; only the panel that received it can answer. */
  answer(key: string, requestId: string, capture: Capture): void {
    const open = this.#open.get(requestId);
    if (open?.key === key) open.settle(capture);
  }

  dispose(): void {
    const error = "The bridge is stopping";
    for (const { settle } of this.#open.values()) {
      settle({ ok: false, code: "terminal_snapshot_failed", error });
    }
  }
}
