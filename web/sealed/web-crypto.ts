// Owns the page's crypto for sealed rooms: WebCrypto. Browsers without X25519 (before Chrome 133,
// Safari 17, Firefox 130) and pages without WebCrypto (plain http) get an error message instead.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { concatBytes } from "../../protocol/sealed/bytes.ts";
import type { Aead, CryptoStep, KeyPair, Steps } from "../../protocol/sealed/crypto-steps.ts";
import { runStepsAsync } from "../../protocol/sealed/crypto-steps.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";

export type PageKeyPair = KeyPair<CryptoKey>;

const X25519 = { name: "X25519" } as const;

/** In front of the 32 bytes of an X25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32);
/** The base point: exchanging keys with it gives one's own public key. */
const BASE_POINT = Uint8Array.of(9, ...new Uint8Array(31));

const NO_WEB_CRYPTO =
  "This page cannot encrypt because it was not loaded over https. Open the link with https, or with `npx pairpty join`.";
const NO_X25519 = "This browser is too old for end-to-end encryption. Update it and reload.";

/** Returns why this page cannot open a sealed room; undefined if it can. */
export async function findCryptoProblem(): Promise<string | undefined> {
  // Undefined outside of secure contexts, although its type is not optional.
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  if (subtle === undefined) return NO_WEB_CRYPTO;
  try {
    await generateKeyPair();
    return undefined;
  } catch {
    return NO_X25519;
  }
}

export async function generateKeyPair(): Promise<PageKeyPair> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(X25519, false, ["deriveBits"]);
  return { privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)) };
}

/** Imports 32 raw bytes; WebCrypto itself takes private keys in PKCS #8 only. */
export async function importKeyPair(raw: Bytes): Promise<PageKeyPair> {
  const pkcs8 = concatBytes(PKCS8_PREFIX, raw);
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, X25519, false, ["deriveBits"]);
  return { privateKey, publicKey: await exchangeKeys(privateKey, BASE_POINT) };
}

/** Runs a computation of the protocol with WebCrypto. */
export async function compute<Result>(steps: Steps<CryptoKey, Result>): Promise<Result> {
  return await runStepsAsync(steps, computeStep);
}

async function computeStep(step: CryptoStep<CryptoKey>): Promise<Bytes> {
  switch (step.op) {
    case "sha256":
      return new Uint8Array(await crypto.subtle.digest("SHA-256", step.data));
    case "hkdf": {
      const { ikm, salt, info, length } = step;
      const key = await crypto.subtle.importKey("raw", ikm, "HKDF", false, ["deriveBits"]);
      const how = { name: "HKDF", hash: "SHA-256", salt, info };
      return new Uint8Array(await crypto.subtle.deriveBits(how, key, length * 8));
    }
    case "dh":
      return await exchangeKeys(step.privateKey, step.publicKey);
    case "seal":
      return await sealAead(await importAesKey(step.key), step);
    case "open":
      return await openAead(await importAesKey(step.key), step);
  }
}

async function exchangeKeys(privateKey: CryptoKey, raw: Bytes): Promise<Bytes> {
  try {
    const theirs = await crypto.subtle.importKey("raw", raw, X25519, false, []);
    return new Uint8Array(
      await crypto.subtle.deriveBits({ ...X25519, public: theirs }, privateKey, 256),
    );
  } catch {
    // WebCrypto refuses points of low order, whose result is zero whatever the private key.
    throw new SealedFault("not_authentic", "The public key is not usable");
  }
}

/** Imports a key once, for many records. */
export async function importAesKey(key: Bytes): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]);
}

export async function sealAead(
  key: CryptoKey,
  { nonce: iv, aad: additionalData, data }: Omit<Aead, "key">,
): Promise<Bytes> {
  const how = { name: "AES-GCM", iv, additionalData };
  return new Uint8Array(await crypto.subtle.encrypt(how, key, data));
}

/** Opens sealed data; rejects with `not_authentic` before any byte of it is seen. */
export async function openAead(
  key: CryptoKey,
  { nonce: iv, aad: additionalData, data }: Omit<Aead, "key">,
): Promise<Bytes> {
  try {
    const how = { name: "AES-GCM", iv, additionalData };
    return new Uint8Array(await crypto.subtle.decrypt(how, key, data));
  } catch {
    throw new SealedFault("not_authentic", "The sealed data is not authentic");
  }
}
