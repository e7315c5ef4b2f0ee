// Owns sealing and opening the bodies of sealed requests and responses, record by record. The key
// of a body seals nothing else.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import {
  encodeHttpRecord,
  formatHttpAad,
  HTTP_RECORD_BYTES,
  HttpRecordParser,
} from "../../protocol/sealed/http-records.ts";
import { RecordCounter, toNonce } from "../../protocol/sealed/record.ts";
import { openAead, sealAead } from "./node-crypto.ts";

export class HttpBodySealer {
  readonly #key: Bytes;
  readonly #counter = new RecordCounter();
  #isComplete = false;

  constructor(key: Bytes) {
    this.#key = key;
  }

  /** Seals one record of at most 64 KiB; the body must end with a last one, which may be empty. */
  seal(data: Bytes, isLast: boolean): Bytes {
    if (this.#isComplete) throw new SealedFault("ended", "The body has its last record");
    if (data.length > HTTP_RECORD_BYTES)
      throw new RangeError(`a record of ${data.length} bytes is over ${HTTP_RECORD_BYTES}`);
    this.#isComplete = isLast;
    const nonce = toNonce(this.#counter.take());
    const aad = formatHttpAad(isLast);
    return encodeHttpRecord(sealAead({ key: this.#key, nonce, aad, data }), isLast);
  }
}

export class HttpBodyOpener {
  readonly #key: Bytes;
  readonly #parser = new HttpRecordParser();

  constructor(key: Bytes) {
    this.#key = key;
  }

  /** Returns what the complete records hold; the first of a body is its head. */
  push(bytes: Uint8Array): Bytes[] {
    return this.#parser.push(bytes).map(({ counter, isLast, sealed: data }) => {
      const nonce = toNonce(counter);
      return openAead({ key: this.#key, nonce, aad: formatHttpAad(isLast), data });
    });
  }

  /** Throws unless the body is complete. */
  end(): void {
    this.#parser.end();
  }
}
