// Owns the page's side of one session: sealing its messages and opening the host's, in order while
// WebCrypto works on several at once. A fault ends the session; only a new handshake helps.

import { toBytes } from "../../protocol/text.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { deriveDigits, deriveHttpKey, deriveSessionId } from "../../protocol/sealed/exports.ts";
import { encodeHttpPreface } from "../../protocol/sealed/http-records.ts";
import { MAX_RECORD_TEXT, RECORD_MARK, CONFIRM } from "../../protocol/sealed/messages.ts";
import type { SessionKeys } from "../../protocol/sealed/noise.ts";
import type { RecordKind } from "../../protocol/sealed/record.ts";
import {
  decodeRecord,
  Direction,
  encodeRecord,
  formatRecordAad,
  RecordCounter,
  RecordKind as Kind,
  toNonce,
} from "../../protocol/sealed/record.ts";
import { toBase64 } from "./base64.ts";
import { HttpBodyOpener, HttpBodySealer } from "./http-bodies.ts";
import { InOrder } from "./in-order.ts";
import { compute, importAesKey, openAead, sealAead } from "./web-crypto.ts";

export interface PageSessionDeps {
  /** Sends a text message on the socket. */
  send(text: string): void;
  /** Receives what the host sealed, in the order in which it did. */
  receive(kind: RecordKind, data: Bytes): void | Promise<void>;
  /** Fires for a message that was sealed when the session had ended: it is not sent. */
  onLost?(): void;
  /** Fires once; the session is over. */
  onFault(error: unknown): void;
  /** The order of what the socket receives, if it outlives this session. */
  readonly incoming?: InOrder;
}

interface DirectionKeys {
  readonly toHost: CryptoKey;
  readonly toPage: CryptoKey;
  readonly exporter: Bytes;
}

export class PageSession {
  readonly #keys: DirectionKeys;
  readonly #deps: PageSessionDeps;
  readonly #sealed = new RecordCounter();
  readonly #opened = new RecordCounter();
  /** Order of the messages that the page sends. */
  readonly #outgoing: InOrder;
  /** Order of all messages that the socket receives, sealed or not. */
  readonly incoming: InOrder;
  #requests = 0;
  #hasEnded = false;

  private constructor(keys: DirectionKeys, deps: PageSessionDeps) {
    this.#keys = keys;
    this.#deps = deps;
    const end = (error: unknown) => this.#fail(error);
    this.#outgoing = new InOrder(end);
    this.incoming = deps.incoming ?? new InOrder(end);
  }

  /** Opens a session and confirms the handshake: the host sends nothing before. */
  static async open(keys: SessionKeys, deps: PageSessionDeps): Promise<PageSession> {
    const [toHost, toPage] = await Promise.all([
      importAesKey(keys.toHost),
      importAesKey(keys.toPage),
    ]);
    const session = new PageSession({ toHost, toPage, exporter: keys.exporter }, deps);
    session.send(JSON.stringify(CONFIRM));
    return session;
  }

  /** Seals and sends a message. Returns false if the session is over or the message too long. */
  send(message: string): boolean {
    const data = toBytes(message);
    if (this.#hasEnded || data.length > MAX_RECORD_TEXT) return false;
    this.#outgoing.add(this.#seal(data), (text) => {
      if (this.#hasEnded) this.#deps.onLost?.();
      else this.#deps.send(text);
    });
    return true;
  }

  /** Takes a record from the socket; calls `receive` when its turn comes. */
  receive(kind: RecordKind, record: Bytes): void {
    if (this.#hasEnded) return;
    this.incoming.add(this.#open(kind, record), (data) =>
      this.#hasEnded ? undefined : this.#deps.receive(kind, data),
    );
  }

  /** Ends the session: later messages are neither sent nor delivered. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Returns the digits that a visitor who knocks compares with those of the host. */
  async digits(): Promise<string> {
    return await compute(deriveDigits(this.#keys.exporter));
  }

  /** Returns what seals the next request and opens its response. */
  async createRequest(): Promise<{
    readonly preface: Bytes;
    readonly body: HttpBodySealer;
    readonly response: HttpBodyOpener;
  }> {
    const { exporter } = this.#keys;
    // Counted before anything waits: two requests must not get the same number.
    const request = this.#requests++;
    const [session, toHost, toPage] = await Promise.all([
      compute(deriveSessionId(exporter)),
      compute(deriveHttpKey(exporter, request, Direction.toHost)),
      compute(deriveHttpKey(exporter, request, Direction.toPage)),
    ]);
    return {
      preface: encodeHttpPreface({ session, request }),
      body: new HttpBodySealer(await importAesKey(toHost)),
      response: new HttpBodyOpener(await importAesKey(toPage)),
    };
  }

  async #seal(data: Bytes): Promise<string> {
    // Before the first await, so that counters follow the order of calls.
    const counter = this.#sealed.take();
    const aad = formatRecordAad(Direction.toHost, Kind.text);
    const sealed = await sealAead(this.#keys.toHost, { nonce: toNonce(counter), aad, data });
    return `${RECORD_MARK}${toBase64(encodeRecord(counter, sealed))}`;
  }

  async #open(kind: RecordKind, record: Bytes): Promise<Bytes> {
    const { counter, sealed: data } = decodeRecord(record);
    this.#opened.accept(counter);
    const aad = formatRecordAad(Direction.toPage, kind);
    return await openAead(this.#keys.toPage, { nonce: toNonce(counter), aad, data });
  }

  #fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deps.onFault(error);
  }
}
