// Owns judging a bridge's hello: form, version, address, signature, claim. Pure except for the
// signature check; does not touch sockets or storage.

import { CloseCode } from "../../protocol/codes.ts";
import { parsePayload } from "../../protocol/json.ts";
import { Hello, helloText } from "../../protocol/link.ts";
import { toBytes } from "../../protocol/text.ts";
import { LINK_VERSION } from "../../protocol/limits.ts";
import { findHost } from "../edge/origin.ts";
import { toHex } from "../edge/token.ts";
import { timingSafeEqual } from "./grants.ts";
import type { Claim } from "./records.ts";

export interface Refusal {
  readonly code: number;
  readonly reason: string;
}

export type HelloVerdict =
  | { readonly ok: true; readonly hello: Hello }
  | { readonly ok: false; readonly refusal: Refusal };

/** The values that the hello must have been signed for. */
export interface HelloContext {
  readonly nonce: string;
  readonly workspace: string;
  /** The Host header of the bridge's request. */
  readonly host: string;
}

const NONCE_BYTES = 32;

export function newNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

export interface ClaimState {
  readonly claim: Claim | undefined;
  readonly rules: ClaimRules;
}

/**
 * Judges a hello, cheap checks first: the signature check is the most expensive thing a stranger
 * can cause. The claim is checked again after it, since another hello may have claimed the room
 * meanwhile.
 */
export async function judgeHello(
  payload: Uint8Array,
  context: HelloContext,
  getClaimState: () => ClaimState,
): Promise<HelloVerdict> {
  const parsed = parsePayload(Hello, payload);
  if (!parsed.ok) return reject(CloseCode.badMessage, `The hello is malformed: ${parsed.error}`);
  const hello = parsed.value;
  if (hello.version !== LINK_VERSION) {
    const older = hello.version > LINK_VERSION ? "the relay" : "pairpty on the host";
    const versions = `it speaks version ${Math.min(hello.version, LINK_VERSION)} of the link`;
    return reject(
      CloseCode.version,
      `Upgrade ${older}: ${versions}, the other side ${Math.max(hello.version, LINK_VERSION)}.`,
    );
  }
  if (hello.workspace !== context.workspace) {
    return reject(CloseCode.forbidden, "The hello names a different workspace.");
  }
  if (findHost(hello.origin) !== context.host) {
    return reject(CloseCode.forbidden, "The hello names a different relay.");
  }
  const early = judgeClaim(hello, getClaimState());
  if (early !== undefined) return { ok: false, refusal: early };
  if (!(await isSigned(hello, context.nonce))) {
    return reject(CloseCode.unauthorized, "The hello's signature is not valid.");
  }
  const refusal = judgeClaim(hello, getClaimState());
  return refusal === undefined ? { ok: true, hello } : { ok: false, refusal };
}

const WRONG_KEY = "Wrong relay key.";

export interface ClaimRules {
  readonly loopback: boolean;
  readonly relayKey: string | undefined;
}

/** Returns why this hello may not have the room; undefined for its owner or its first bridge. */
function judgeClaim(hello: Hello, { claim, rules }: ClaimState): Refusal | undefined {
  if (claim !== undefined) {
    if (timingSafeEqual(claim.publicKey, hello.publicKey)) return undefined;
    return { code: CloseCode.unauthorized, reason: "This workspace belongs to another key." };
  }
  if (rules.loopback) return undefined;
  if (rules.relayKey === undefined || rules.relayKey === "") {
    return { code: CloseCode.forbidden, reason: "This relay accepts no new workspaces." };
  }
  const presentedKey = hello.relayKey ?? "";
  if (timingSafeEqual(rules.relayKey, presentedKey)) return undefined;
  const reason = presentedKey === "" ? "A new workspace here needs the relay's key." : WRONG_KEY;
  return { code: CloseCode.forbidden, reason };
}

async function isSigned(hello: Hello, nonce: string): Promise<boolean> {
  try {
    const algorithm = { name: "Ed25519" };
    const raw = fromHex(hello.publicKey);
    const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
    const text = toBytes(helloText(nonce, hello));
    return await crypto.subtle.verify(algorithm, key, fromHex(hello.signature), text);
  } catch {
    // The key is not a point on the curve, so nothing can be signed with it.
    return false;
  }
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  }
  return bytes;
}

function reject(code: number, reason: string): HelloVerdict {
  return { ok: false, refusal: { code, reason } };
}
