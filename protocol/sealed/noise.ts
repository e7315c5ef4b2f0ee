// Owns the handshake Noise_NKpsk0_25519_AESGCM_SHA256 (noiseprotocol.org, revision 34). The page
// starts it; it knows the host's static key and the link's psk:
//
//   <- s
//   -> psk, e, es
//   <- e, ee
//
// Pure: keys come in as arguments, crypto by crypto-steps.ts. A handshake that failed is over.

import { toBytes } from "../text.ts";
import type { Bytes } from "./bytes.ts";
import { concatBytes, NO_BYTES } from "./bytes.ts";
import type { KeyPair, Steps } from "./crypto-steps.ts";
import { SealedFault } from "./faults.ts";

/** Exactly 32 bytes, so the first hash is the name itself. */
const PROTOCOL_NAME = toBytes("Noise_NKpsk0_25519_AESGCM_SHA256");

const BLOCK = 32;
const PUBLIC_KEY_BYTES = 32;
const TAG_BYTES = 16;

/** Always zero: in this pattern every key of the handshake seals one message. */
const HANDSHAKE_NONCE: Bytes = new Uint8Array(12);

/** Handshake state: hash and key over everything that both sides have mixed in so far. */
export interface NoiseState {
  readonly hash: Bytes;
  readonly chainingKey: Bytes;
  readonly key: Bytes;
}

export interface SessionKeys {
  readonly toHost: Bytes;
  readonly toPage: Bytes;
  /** Secret from which further keys are derived. */
  readonly exporter: Bytes;
  /** Identifies the handshake and is not secret: derive nothing from it. */
  readonly handshakeHash: Bytes;
}

interface Shared {
  readonly prologue: Bytes;
  readonly psk: Bytes;
}

export interface PageSide<Key> extends Shared {
  readonly hostKey: Bytes;
  readonly ephemeral: KeyPair<Key>;
}

export interface HostSide<Key> extends Shared {
  readonly hostKey: KeyPair<Key>;
}

/** Seals the page's first message. */
export function* writeHello<Key>(
  { prologue, psk, hostKey, ephemeral }: PageSide<Key>,
  payload: Bytes,
): Steps<Key, { readonly message: Bytes; readonly state: NoiseState }> {
  let state: NoiseState = yield* start(prologue, hostKey, psk);
  state = yield* mixEphemeral(state, ephemeral.publicKey);
  state = yield* mixDh(state, ephemeral.privateKey, hostKey);
  const sealed = yield* sealPayload(state, payload);
  return { message: concatBytes(ephemeral.publicKey, sealed.data), state: sealed.state };
}

/** Opens the page's first message; throws unless its sender has the psk and the host's key. */
export function* readHello<Key>(
  { prologue, psk, hostKey }: HostSide<Key>,
  message: Bytes,
): Steps<Key, { readonly payload: Bytes; readonly theirs: Bytes; readonly state: NoiseState }> {
  const { theirs, sealed } = splitMessage(message);
  let state: NoiseState = yield* start(prologue, hostKey.publicKey, psk);
  state = yield* mixEphemeral(state, theirs);
  state = yield* mixDh(state, hostKey.privateKey, theirs);
  const opened = yield* openPayload(state, sealed);
  return { payload: opened.data, theirs, state: opened.state };
}

/** Seals the host's answer and returns the keys of the session. */
export function* writeReady<Key>(
  before: NoiseState,
  { theirs, ephemeral }: { readonly theirs: Bytes; readonly ephemeral: KeyPair<Key> },
  payload: Bytes,
): Steps<Key, { readonly message: Bytes; readonly keys: SessionKeys }> {
  let state: NoiseState = yield* mixEphemeral(before, ephemeral.publicKey);
  state = yield* mixDh(state, ephemeral.privateKey, theirs);
  const sealed = yield* sealPayload(state, payload);
  const message = concatBytes(ephemeral.publicKey, sealed.data);
  return { message, keys: yield* split(sealed.state) };
}

/** Opens the host's answer; throws unless it is the host's, to this very hello. */
export function* readReady<Key>(
  before: NoiseState,
  { privateKey }: Pick<KeyPair<Key>, "privateKey">,
  message: Bytes,
): Steps<Key, { readonly payload: Bytes; readonly keys: SessionKeys }> {
  const { theirs, sealed } = splitMessage(message);
  let state: NoiseState = yield* mixEphemeral(before, theirs);
  state = yield* mixDh(state, privateKey, theirs);
  const opened = yield* openPayload(state, sealed);
  return { payload: opened.data, keys: yield* split(opened.state) };
}

function* start(prologue: Bytes, hostKey: Bytes, psk: Bytes): Steps<never, NoiseState> {
  let hash: Bytes = yield { op: "sha256", data: concatBytes(PROTOCOL_NAME, prologue) };
  hash = yield { op: "sha256", data: concatBytes(hash, hostKey) };
  const [chainingKey, forHash, key] = yield* expand(PROTOCOL_NAME, psk);
  hash = yield { op: "sha256", data: concatBytes(hash, forHash) };
  return { hash, chainingKey, key };
}

/** Mixes an ephemeral public key into hash and key, as every pattern with a psk does. */
function* mixEphemeral(state: NoiseState, publicKey: Bytes): Steps<never, NoiseState> {
  return yield* mixKey(yield* mixHash(state, publicKey), publicKey);
}

function* mixDh<Key>(state: NoiseState, privateKey: Key, publicKey: Bytes): Steps<Key, NoiseState> {
  return yield* mixKey(state, yield { op: "dh", privateKey, publicKey });
}

function* mixHash(state: NoiseState, data: Bytes): Steps<never, NoiseState> {
  return { ...state, hash: yield { op: "sha256", data: concatBytes(state.hash, data) } };
}

function* mixKey(state: NoiseState, ikm: Bytes): Steps<never, NoiseState> {
  const [chainingKey, key] = yield* expand(state.chainingKey, ikm);
  return { ...state, chainingKey, key };
}

function* sealPayload(state: NoiseState, data: Bytes) {
  const { key, hash: aad } = state;
  const sealed: Bytes = yield { op: "seal", key, nonce: HANDSHAKE_NONCE, aad, data } as const;
  return { data: sealed, state: yield* mixHash(state, sealed) };
}

function* openPayload(state: NoiseState, sealed: Bytes) {
  const { key, hash: aad } = state;
  const nonce = HANDSHAKE_NONCE;
  const data: Bytes = yield { op: "open", key, nonce, aad, data: sealed } as const;
  return { data, state: yield* mixHash(state, sealed) };
}

function* split({ chainingKey, hash }: NoiseState): Steps<never, SessionKeys> {
  const [toHost, toPage, exporter] = yield* expand(chainingKey, NO_BYTES);
  return { toHost, toPage, exporter, handshakeHash: hash };
}

/** Noise's HKDF is RFC 5869's without info. Its first blocks do not depend on their number. */
function* expand(salt: Bytes, ikm: Bytes): Steps<never, [Bytes, Bytes, Bytes]> {
  const blocks = yield { op: "hkdf", salt, ikm, info: NO_BYTES, length: 3 * BLOCK };
  return [
    blocks.slice(0, BLOCK),
    blocks.slice(BLOCK, 2 * BLOCK),
    blocks.slice(2 * BLOCK, 3 * BLOCK),
  ];
}

function splitMessage(message: Bytes): { readonly theirs: Bytes; readonly sealed: Bytes } {
  if (message.length < PUBLIC_KEY_BYTES + TAG_BYTES)
    throw new SealedFault("malformed", "The handshake message is too short");
  return {
    theirs: message.slice(0, PUBLIC_KEY_BYTES),
    sealed: message.slice(PUBLIC_KEY_BYTES),
  };
}
