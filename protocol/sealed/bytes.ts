// Owns small operations on bytes that every part of sealing needs.

/** Bytes in memory that is not shared between threads: WebCrypto accepts no other. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const NO_BYTES: Bytes = new Uint8Array(0);

export function concatBytes(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
