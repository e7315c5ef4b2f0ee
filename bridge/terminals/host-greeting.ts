// Owns the handshake with the pty host: the hello, the welcome, and when the host has reported its
// terminals. Does not know the socket.

import type { HostHello, HostWelcome } from "../../protocol/host.ts";
import { toPayload } from "../../protocol/json.ts";
import { HOST_VERSION } from "../../protocol/limits.ts";
import { SOFTWARE } from "../build-info.ts";
import { withTimeout } from "./host-requests.ts";

export class HostGreeting {
  #welcome: HostWelcome | undefined;
  #pending: { resolve(): void; reject(error: Error): void } | undefined;

  get welcome(): HostWelcome {
    if (this.#welcome === undefined) throw new Error("no welcome yet");
    return this.#welcome;
  }

  /** Sends the hello. Resolves when the host has reported its terminals; rejects if it refuses. */
  async greet(send: (payload: Uint8Array) => void, looks: boolean): Promise<void> {
    const hello: HostHello = {
      version: HOST_VERSION,
      software: SOFTWARE,
      ...(looks ? { looks } : {}),
    };
    const greeted = new Promise<void>((resolve, reject) => {
      this.#pending = { resolve, reject };
      send(toPayload(hello));
    });
    await withTimeout(greeted);
  }

  onWelcome(welcome: HostWelcome): void {
    this.#welcome = welcome;
  }

  onCaughtUp(): void {
    this.#pending?.resolve();
  }

  fail(error: Error): void {
    this.#pending?.reject(error);
  }
}
