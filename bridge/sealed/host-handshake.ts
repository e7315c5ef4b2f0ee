// Owns the host's side of a handshake: from a page's hello to a session that the page has confirmed.
// Pure but for the ephemeral key. Does not own sockets or time (sealed-gate.ts).

import { parsePayload, toPayload } from "../../protocol/json.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { formatPrologue } from "../../protocol/sealed/derivation.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { ReadyPayload } from "../../protocol/sealed/messages.ts";
import {
  Confirm,
  decodeHandshake,
  encodeReadyFrame,
  HELLO_MARK,
  HelloPayload,
  MAX_HELLO_TEXT,
  RECORD_MARK,
} from "../../protocol/sealed/messages.ts";
import { readHello, writeReady } from "../../protocol/sealed/noise.ts";
import { HostSession } from "./host-session.ts";
import type { HostKeyPair } from "./node-crypto.ts";
import { compute, generateKeyPair } from "./node-crypto.ts";

export interface HandshakeDeps {
  readonly hostKey: HostKeyPair;
  /** The grant's, in hex. */
  readonly psk: string;
  readonly workspace: string;
  /**
   * Origins under which links were printed: a tunnel's differs from the one that the bridge dials.
   * A hello must be for one of them.
   */
  readonly origins: readonly string[];
  /** The grant's id. */
  readonly id: string;
}

export interface AnsweredHello {
  /** A claim that may be a replay, until the page confirms. */
  readonly hello: HelloPayload;
  /** The frame to send. */
  readonly ready: Bytes;
  readonly session: HostSession;
}

/** Answers a page's hello; throws a `SealedFault` if it is not for this host, link and room. */
export function answerHello(
  deps: HandshakeDeps,
  text: string,
  ready: ReadyPayload,
  ephemeral: HostKeyPair = generateKeyPair(),
): AnsweredHello {
  if (!text.startsWith(HELLO_MARK) || text.length > MAX_HELLO_TEXT)
    throw new SealedFault("malformed", "The first message is not a hello");
  const message = decodeHandshake(fromBase64(text.slice(HELLO_MARK.length)));
  const { payload, theirs, state } = openHello(deps, message);
  const hello = parsePayload(HelloPayload, payload);
  if (!hello.ok) throw new SealedFault("malformed", `The hello does not fit: ${hello.error}`);
  const answer = compute(writeReady(state, { theirs, ephemeral }, toPayload(ready)));
  return {
    hello: hello.value,
    ready: encodeReadyFrame(answer.message),
    session: new HostSession(answer.keys),
  };
}

/** Opens the first record; throws unless it confirms the handshake. */
export function openConfirm(session: HostSession, text: string): void {
  const confirm = parsePayload(Confirm, openRecordText(session, text));
  if (!confirm.ok) throw new SealedFault("malformed", "The first record does not confirm");
}

/** Opens a page's text message, which must be a record. */
export function openRecordText(session: HostSession, text: string): Bytes {
  if (!text.startsWith(RECORD_MARK))
    throw new SealedFault("malformed", "A message in the clear came instead of a record");
  return session.open(fromBase64(text.slice(RECORD_MARK.length)));
}

/** Tries each origin in turn; the prologue shows which one the page used. */
function openHello({ hostKey, psk, workspace, origins, id }: HandshakeDeps, message: Bytes) {
  const secret = new Uint8Array(Buffer.from(psk, "hex"));
  let fault = new SealedFault("not_authentic", "No origin is known");
  for (const origin of origins) {
    const prologue = formatPrologue({ workspace, origin, id });
    try {
      return compute(readHello({ prologue, psk: secret, hostKey }, message));
    } catch (error) {
      if (!(error instanceof SealedFault)) throw error;
      fault = error;
    }
  }
  throw fault;
}

/** Decodes base64. Node skips invalid characters; the tag then fails to verify. */
function fromBase64(text: string): Bytes {
  return new Uint8Array(Buffer.from(text, "base64"));
}
