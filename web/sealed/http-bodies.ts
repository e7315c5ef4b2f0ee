// Owns sealing and opening the bodies of sealed requests and responses in the page, record by
// record. The key of a body seals nothing else.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import {
  encodeHttpRecord,
  formatHttpAad,
  HTTP_RECORD_BYTES,
  HttpRecordParser,
} from "../../protocol/sealed/http-records.ts";
import { RecordCounter, toNonce } from "../../protocol/sealed/record.ts";
import { openAead, sealAead } from "./web-crypto.ts";

export class HttpBodySealer {
  readonly #key: CryptoKey;
  readonly #counter = new RecordCounter();
  #isComplete = false;

  constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Seals one record of at most 64 KiB; the body must end with a last one, which may be empty. */
  async seal(data: Bytes, isLast: boolean): Promise<Bytes> {
    if (this.#isComplete) throw new SealedFault("ended", "The body has its last record");
    if (data.length > HTTP_RECORD_BYTES)
      throw new RangeError(`a record of ${data.length} bytes is over ${HTTP_RECORD_BYTES}`);
    this.#isComplete = isLast;
    const nonce = toNonce(this.#counter.take());
    return encodeHttpRecord(
      await sealAead(this.#key, { nonce, aad: formatHttpAad(isLast), data }),
      isLast,
    );
  }
}

export class HttpBodyOpener {
  readonly #key: CryptoKey;
  readonly #parser = new HttpRecordParser();

  constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Returns what the complete records hold; the first of a body is its head. */
  async push(bytes: Uint8Array): Promise<Bytes[]> {
    return await Promise.all(
      this.#parser.push(bytes).map(async ({ counter, isLast, sealed: data }) => {
        const aad = formatHttpAad(isLast);
        return await openAead(this.#key, { nonce: toNonce(counter), aad, data });
      }),
    );
  }

  /** Throws unless the body is complete. */
  end(): void {
    this.#parser.end();
  }
}
