// Owns the host's side of one session: sealing records for a page and opening those of it, strictly
// in order. A fault ends the session; only a new handshake helps.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { deriveDigits, deriveHttpKey, deriveSessionId } from "../../protocol/sealed/exports.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { SessionKeys } from "../../protocol/sealed/noise.ts";
import {
  decodeRecord,
  Direction,
  encodeRecord,
  formatRecordAad,
  RecordCounter,
  RecordKind,
  toNonce,
} from "../../protocol/sealed/record.ts";
import { HttpBodyOpener, HttpBodySealer } from "./http-bodies.ts";
import { compute, openAead, sealAead } from "./node-crypto.ts";
import { RequestNumbers } from "./request-numbers.ts";

export class HostSession {
  readonly #keys: SessionKeys;
  readonly #sealed = new RecordCounter();
  readonly #opened = new RecordCounter();
  readonly #requests = new RequestNumbers();
  #hasEnded = false;

  constructor(keys: SessionKeys) {
    this.#keys = keys;
  }

  /** Seals a message; records must be sent in the order of these calls. */
  seal(kind: RecordKind, data: Bytes): Bytes {
    this.#refuseIfEnded();
    const counter = this.#sealed.take();
    const aad = formatRecordAad(Direction.toPage, kind);
    const { toPage: key } = this.#keys;
    return encodeRecord(counter, sealAead({ key, nonce: toNonce(counter), aad, data }));
  }

  /** Opens the next record of the page; throws a `SealedFault` and ends the session otherwise. */
  open(record: Bytes): Bytes {
    this.#refuseIfEnded();
    try {
      const { counter, sealed: data } = decodeRecord(record);
      this.#opened.accept(counter);
      const aad = formatRecordAad(Direction.toHost, RecordKind.text);
      return openAead({ key: this.#keys.toHost, nonce: toNonce(counter), aad, data });
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Ends the session: sealing and opening throw afterwards. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Returns the digits that the host compares with those of a visitor who knocks. */
  digits(): string {
    return compute(deriveDigits(this.#keys.exporter));
  }

  /** Returns the id by which the page's sealed requests name this session. */
  id(): Bytes {
    return compute(deriveSessionId(this.#keys.exporter));
  }

  /** Accepts a sealed request; throws if its number was used before. */
  acceptRequest(request: number): {
    readonly body: HttpBodyOpener;
    readonly response: HttpBodySealer;
  } {
    this.#refuseIfEnded();
    this.#requests.accept(request);
    const derive = (direction: Direction) =>
      compute(deriveHttpKey(this.#keys.exporter, request, direction));
    return {
      body: new HttpBodyOpener(derive(Direction.toHost)),
      response: new HttpBodySealer(derive(Direction.toPage)),
    };
  }

  #refuseIfEnded(): void {
    if (this.#hasEnded) throw new SealedFault("ended", "The session has ended");
  }
}
