// Owns the key of one channel in the page and opens its output. Counters must rise; events must be
// complete. Decrypts on arrival where the key is known; the rest happens in the order of arrival.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import type { OutputPlace, SealedOutput } from "../../protocol/sealed/output-record.ts";
import {
  addEvent,
  decodeOutputText,
  decodeSealedOutput,
  formatOutputAad,
} from "../../protocol/sealed/output-record.ts";
import { fromBase64 } from "./base64.ts";
import { importAesKey, openAead } from "./web-crypto.ts";

export type OpenedOutput =
  | { readonly is: "opened"; readonly body: Bytes }
  /** The key has not arrived yet: a new bridge took over. Hold the frame, or attach again. */
  | { readonly is: "unknown key" }
  /** Forged, moved, repeated, or sealed with a replaced key: drop the frame. */
  | { readonly is: "refused"; readonly fault: SealedFault }
  /** An event before it is missing: attach again. */
  | { readonly is: "gap" };

interface CurrentKey {
  readonly number: number;
  readonly key: Promise<CryptoKey>;
  /** The lowest counter that is accepted. */
  next: number;
  events: number;
}

/** A frame on its way, between `start` and `finish`. */
export interface StartedOutput {
  readonly place: OutputPlace;
  readonly output: SealedOutput | undefined;
  /** Absent: the key was not known on arrival. */
  readonly attempt?: { readonly under: CurrentKey; readonly text: Promise<Bytes> };
}

export class ChannelOpener {
  #current: CurrentKey | undefined;
  /** Numbers of keys that were replaced: what they open was sealed before a right to see ended. */
  readonly #replaced = new Set<number>();

  /** Sets the key, from `pty:attached` or `pty:key`; the one before opens nothing more. */
  setKey({ n: number, key, counter: next, events }: ChannelKey): void {
    if (this.#current !== undefined && this.#current.number !== number)
      this.#replaced.add(this.#current.number);
    this.#replaced.delete(number);
    this.#current = { number, key: importAesKey(fromBase64(key)), next, events };
  }

  /** Forgets all keys: a new bridge has others. */
  dropKeys(): void {
    this.#current = undefined;
    this.#replaced.clear();
  }

  /** Begins to open a frame, on arrival. */
  start(place: OutputPlace, body: Bytes): StartedOutput {
    const output = decodeSealedOutput(body);
    const under = this.#current;
    if (output === undefined || under === undefined || under.number !== output.keyNumber)
      return { place, output };
    const text = decrypt(under, place, output);
    // Handled by `finish`; before that, a rejection must not count as unhandled.
    text.catch(() => undefined);
    return { place, output, attempt: { under, text } };
  }

  /** Finishes opening. Frames must come in the order of arrival, one at a time. */
  async finish({ place, output, attempt }: StartedOutput): Promise<OpenedOutput> {
    const current = this.#current;
    if (output === undefined) return refuse("malformed", "The output is malformed");
    if (current?.number !== output.keyNumber) {
      return this.#replaced.has(output.keyNumber)
        ? refuse("out_of_order", "The output is sealed with a key of before")
        : { is: "unknown key" };
    }
    // Committed after the tag is verified: a forged counter must not shut out real output.
    const text = await openText(
      attempt?.under === current ? attempt.text : decrypt(current, place, output),
    );
    if (text === undefined) return refuse("not_authentic", "The output is not authentic");
    if (output.counter < current.next) return refuse("out_of_order", "The output is repeated");
    const decoded = decodeOutputText(text);
    if (decoded === undefined) return refuse("malformed", "The output is malformed");
    current.next = output.counter + 1;
    const expected = place.span === 0 ? addEvent(current.events) : current.events;
    if (decoded.events !== expected) return { is: "gap" };
    current.events = expected;
    return { is: "opened", body: decoded.body };
  }
}

async function decrypt(
  { key }: CurrentKey,
  place: OutputPlace,
  { nonce, sealed: data }: SealedOutput,
): Promise<Bytes> {
  return await openAead(await key, { nonce, aad: formatOutputAad(place), data });
}

/** Undefined if the output is not authentic. */
async function openText(text: Promise<Bytes>): Promise<Bytes | undefined> {
  try {
    return await text;
  } catch (error) {
    if (error instanceof SealedFault) return undefined;
    throw error;
  }
}

function refuse(code: SealedFault["code"], message: string): OpenedOutput {
  return { is: "refused", fault: new SealedFault(code, message) };
}
