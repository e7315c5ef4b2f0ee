// Owns the page's side of a handshake: the hello, and the keys that the host's answer gives. Does
// not own sockets or time.

import { parseJson, toPayload } from "../../protocol/json.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { deriveLinkKeys, formatPrologue } from "../../protocol/sealed/derivation.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { SealedLink } from "../../protocol/sealed/link.ts";
import type { HelloPayload, ReadyPayload } from "../../protocol/sealed/messages.ts";
import { decodeHandshake, encodeHandshake, HELLO_MARK } from "../../protocol/sealed/messages.ts";
import type { SessionKeys } from "../../protocol/sealed/noise.ts";
import { readReady, writeHello } from "../../protocol/sealed/noise.ts";
import { toText } from "../../protocol/text.ts";
import { toBase64 } from "./base64.ts";
import type { PageKeyPair } from "./web-crypto.ts";
import { compute, generateKeyPair } from "./web-crypto.ts";

export interface PageHandshakeDeps {
  readonly link: SealedLink;
  readonly workspace: string;
  /** Origin of the relay, which is not the page's own where `pairpty join` serves it. */
  readonly origin: string;
}

export interface PendingHandshake {
  /** The text to send. */
  readonly hello: string;
  /** Opens the payload of the host's `ready` frame; rejects unless the host sent it. */
  finish(payload: Bytes): Promise<FinishedHandshake>;
}

export interface FinishedHandshake {
  readonly ready: ReadyPayload;
  readonly keys: SessionKeys;
}

/** Starts a handshake. Each one needs a new ephemeral key; tests give their own. */
export async function startHandshake(
  { link, workspace, origin }: PageHandshakeDeps,
  payload: HelloPayload,
  ephemeral?: PageKeyPair,
): Promise<PendingHandshake> {
  const { psk } = await compute(deriveLinkKeys(link, workspace));
  const own = ephemeral ?? (await generateKeyPair());
  const prologue = formatPrologue({ workspace, origin, id: link.id });
  const side = { prologue, psk, hostKey: link.hostKey, ephemeral: own };
  const { message, state } = await compute(writeHello(side, toPayload(payload)));
  return {
    hello: `${HELLO_MARK}${toBase64(encodeHandshake(message))}`,
    finish: async (bytes) => {
      const answer = await compute(readReady(state, own, decodeHandshake(bytes)));
      return { ready: parseReady(answer.payload), keys: answer.keys };
    },
  };
}

/** Parses by hand what the host sealed: schemas would double the size of this part of the page. */
function parseReady(payload: Bytes): ReadyPayload {
  const parsed = parseJson(toText(payload));
  if (!parsed.ok || !isReady(parsed.value))
    throw new SealedFault("malformed", "The answer does not fit");
  return parsed.value;
}

function isReady(value: unknown): value is ReadyPayload {
  if (typeof value !== "object" || value === null) return false;
  const { v, role, caps } = value as Partial<ReadyPayload>;
  return typeof v === "number" && typeof role === "string" && Array.isArray(caps);
}
