// Owns how shared code computes with keys although the bridge's crypto is synchronous and the
// page's is not: a generator yields each operation and gets its result. Performs no crypto.

import type { Bytes } from "./bytes.ts";

/** One operation. `Key` is a runtime's own type for X25519 private keys. */
export type CryptoStep<Key> =
  | { readonly op: "sha256"; readonly data: Bytes }
  /** RFC 5869 with SHA-256. */
  | {
      readonly op: "hkdf";
      readonly salt: Bytes;
      readonly ikm: Bytes;
      readonly info: Bytes;
      readonly length: number;
    }
  /** X25519. Throws for a public key whose result would be zero. */
  | { readonly op: "dh"; readonly privateKey: Key; readonly publicKey: Bytes }
  | ({ readonly op: "seal" | "open" } & Aead);

/** AES-256-GCM; the sealed data ends with its tag. Opening throws if the tag does not fit. */
export interface Aead {
  readonly key: Bytes;
  readonly nonce: Bytes;
  readonly aad: Bytes;
  readonly data: Bytes;
}

export type Steps<Key, Result> = Generator<CryptoStep<Key>, Result, Bytes>;

export interface KeyPair<Key> {
  readonly privateKey: Key;
  /** 32 raw bytes. */
  readonly publicKey: Bytes;
}

/** Runs steps to their end with synchronous crypto. */
export function runSteps<Key, Result>(
  steps: Steps<Key, Result>,
  compute: (step: CryptoStep<Key>) => Bytes,
): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(compute(step.value));
  return step.value;
}

/** Runs steps to their end with asynchronous crypto. */
export async function runStepsAsync<Key, Result>(
  steps: Steps<Key, Result>,
  compute: (step: CryptoStep<Key>) => Promise<Bytes>,
): Promise<Result> {
  let step = steps.next();
  // Each step needs the result of the one before.
  // oxlint-disable-next-line no-await-in-loop
  while (step.done !== true) step = steps.next(await compute(step.value));
  return step.value;
}
