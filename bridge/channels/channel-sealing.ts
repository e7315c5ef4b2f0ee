// Owns who got the key of a sealed channel. A viewer that left still has it, so the key must change
// when that viewer's right to see ends, too.

import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import type { ChannelSealer } from "../sealed/channel-sealer.ts";

export class ChannelSealing {
  readonly #sealer: ChannelSealer;
  /** Grants of callers that got the current key. */
  readonly #holders = new Set<string>();

  constructor(sealer: ChannelSealer) {
    this.#sealer = sealer;
  }

  /** Returns the key for a caller with this grant; it must go in a record. */
  giveKey(grantId: string): ChannelKey {
    this.#holders.add(grantId);
    return this.#sealer.current();
  }

  hasHolder(grantId: string): boolean {
    return this.#holders.has(grantId);
  }

  get isExhausted(): boolean {
    return this.#sealer.isExhausted;
  }

  sealFrame(offset: number, span: number, body: Uint8Array, flags: number): Uint8Array {
    return this.#sealer.sealFrame(offset, span, body, flags);
  }

  rekey(): void {
    this.#holders.clear();
    this.#sealer.rekey();
  }
}
