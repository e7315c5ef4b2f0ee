// Owns a caller whose messages are sealed: a rendition of a room's caller, which the hub and all
// dialects use like any other. Nothing leaves it in the clear: without a session, it sends nothing.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { HelloPayload } from "../../protocol/sealed/messages.ts";
import { encodeRecordFrame, MAX_RECORD_DATA, toClosing } from "../../protocol/sealed/messages.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import type { Caller, CallerStatus, CloseReason, Door, SealedSender } from "../callers/caller.ts";
import { reportFault } from "../faults.ts";
import type { Grant } from "../grants/grant-table.ts";
import { openRecordText } from "./host-handshake.ts";
import type { HostSession } from "./host-session.ts";
import type { SealedSessions } from "./sealed-sessions.ts";

/** A caller that also receives binary messages. */
export interface ByteCaller extends Caller {
  sendBytes(bytes: Bytes): void;
}

const CLOSED_MESSAGE = "The host closed this connection.";
const UNREADABLE_MESSAGE = "A message was lost or changed on its way: connecting again.";

export class SealedCaller implements Caller, SealedSender {
  readonly #inner: ByteCaller;
  readonly #sessions: SealedSessions | undefined;
  #leaveSessions: () => void = () => {};
  #opened: { readonly session: HostSession; readonly hello: HelloPayload } | undefined;

  /** Takes where the caller's session is listed for its HTTP requests. */
  constructor(inner: ByteCaller, sessions?: SealedSessions) {
    this.#inner = inner;
    this.#sessions = sessions;
  }

  get door(): Door {
    return this.#inner.door;
  }
  get since(): number {
    return this.#inner.since;
  }
  get grantId(): string {
    return this.#inner.grantId;
  }
  get ticket(): string | undefined {
    return this.#inner.ticket;
  }
  /** Always false: only the relay claims it, and a new handshake is a new knock. */
  get wasAdmitted(): boolean {
    return false;
  }
  get predatesBridge(): boolean {
    return this.#inner.predatesBridge === true;
  }
  get status(): CallerStatus | undefined {
    return this.#inner.status;
  }
  set status(status: CallerStatus | undefined) {
    this.#inner.status = status;
  }
  grant(): Grant | undefined {
    return this.#inner.grant();
  }

  get sealed(): this {
    return this;
  }

  /** The page's hello; undefined without a session. */
  get hello(): HelloPayload | undefined {
    return this.#opened?.hello;
  }

  /** The digits that the host compares with a visitor's; undefined without a session. */
  get digits(): string | undefined {
    return this.#opened?.session.digits();
  }

  /** Whether the handshake is confirmed. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** Starts a session that the page has confirmed. */
  begin(session: HostSession, hello: HelloPayload): void {
    this.reset();
    this.#opened = { session, hello };
    this.#leaveSessions = this.#sessions?.add(this, session) ?? (() => {});
  }

  /** Ends the session; the page needs a new handshake. */
  reset(): void {
    this.#opened?.session.end();
    this.#opened = undefined;
    this.#leaveSessions();
    this.#leaveSessions = () => {};
  }

  send(message: string): void {
    this.#sendRecord(RecordKind.text, toBytes(message));
  }

  /** Sends an output frame to this caller alone. */
  sendOutput(frame: Bytes): void {
    this.#sendRecord(RecordKind.output, frame);
  }

  /** Sends a message of the handshake, in the clear. */
  sendHandshake(frame: Bytes): void {
    this.#inner.sendBytes(frame);
  }

  /**
   * Opens a message from the socket, for the hub. During a handshake, returns it as it is, for the
   * gate. Undefined if it did not open: the caller is closed.
   */
  receive(payload: Uint8Array): Uint8Array | undefined {
    if (this.#opened === undefined) return payload;
    try {
      return openRecordText(this.#opened.session, toText(payload));
    } catch (error) {
      this.#closeForFault(error);
      return undefined;
    }
  }

  /** Closes the caller. The relay gets a generic reason; the page gets the real one in a record. */
  close(reason: CloseReason): void {
    const { why, message } = reason;
    if (!this.isOpen || why === "unreadable") {
      this.reset();
      return this.#inner.close(reason);
    }
    this.send(JSON.stringify(toClosing(message)));
    // Sealing that record can fail, which already closes the caller.
    if (!this.isOpen) return undefined;
    this.reset();
    return this.#inner.close({ why, message: CLOSED_MESSAGE });
  }

  #sendRecord(kind: RecordKind, data: Bytes): void {
    if (this.#opened === undefined) return;
    if (data.length > MAX_RECORD_DATA) {
      // A bug, as in plain rooms, and it must not use up a counter: the next record would not open.
      const error = new RangeError(`${data.length} bytes are too long for a record; not sent`);
      return reportFault("a sealed message", error);
    }
    try {
      this.#inner.sendBytes(encodeRecordFrame(kind, this.#opened.session.seal(kind, data)));
    } catch (error) {
      this.#closeForFault(error);
    }
  }

  #closeForFault(error: unknown): void {
    if (!(error instanceof SealedFault)) throw error;
    this.close({ why: "unreadable", message: UNREADABLE_MESSAGE });
  }
}
