// Owns the key of one channel and seals its output, once for all viewers. The key lives in this
// process alone: a stored counter could be stale, and a nonce used twice reveals what it sealed.

import { randomBytes, randomInt } from "node:crypto";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import {
  addEvent,
  createSealedFrame,
  encodeEvents,
  formatOutputAad,
} from "../../protocol/sealed/output-record.ts";
import { MAX_RECORDS, toNonce } from "../../protocol/sealed/record.ts";
import { sealInto } from "./node-crypto.ts";

const KEY_BYTES = 32;

/** Upper bound of the first key number: half of all numbers stay free for later keys. */
const MAX_FIRST_NUMBER = 2 ** 31;

export class ChannelSealer {
  readonly #channel: number;
  /**
   * Starts at random: a page can tell the output of a bridge that took over, whose key it waits
   * for, from forged output under a key that it has.
   */
  #number = randomInt(MAX_FIRST_NUMBER);
  #key = createKey();
  #counter = 0;
  #events = 0;

  constructor(channel: number) {
    this.#channel = channel;
  }

  /** Returns a whole sealed output frame; frames must be sent in the order of these calls. */
  sealFrame(offset: number, span: number, body: Uint8Array, flags = 0): Bytes {
    if (this.isExhausted)
      throw new SealedFault("exhausted", "The channel's key has sealed its last frame");
    if (span === 0) this.#events = addEvent(this.#events);
    const nonce = toNonce(this.#counter++, this.#number);
    const place = { channel: this.#channel, offset, span };
    const { frame, at } = createSealedFrame(place, nonce, body.length, flags);
    const aad = formatOutputAad(place);
    sealInto(frame, at, { key: this.#key, nonce, aad }, [encodeEvents(this.#events), body]);
    return frame;
  }

  /** Whether the key must change before the next frame. */
  get isExhausted(): boolean {
    return this.#counter >= MAX_RECORDS;
  }

  /** Returns what a page needs to open the frames that follow; it must go in a record. */
  current(): ChannelKey {
    return {
      n: this.#number,
      key: Buffer.from(this.#key).toString("base64"),
      counter: this.#counter,
      events: this.#events,
    };
  }

  /** Changes the key; the caller sends the new one to all who may still see the channel. */
  rekey(): ChannelKey {
    this.#number = (this.#number + 1) >>> 0;
    this.#key = createKey();
    this.#counter = 0;
    return this.current();
  }
}

function createKey(): Bytes {
  return new Uint8Array(randomBytes(KEY_BYTES));
}
