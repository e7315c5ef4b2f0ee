// Owns making tokens. A token is shown once; only its hash is stored.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 10;
/** 32 characters of 62: 190 bits. */
const SECRET_LENGTH = 32;

export interface NewSecret {
  /** The grant's id. */
  readonly id: string;
  readonly secret: string;
}

export function newSecret(): NewSecret {
  return { id: randomWord(ID_LENGTH), secret: randomWord(SECRET_LENGTH) };
}

export function formatToken({ id, secret }: NewSecret): string {
  return `pp_${id}_${secret}`;
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares a token with a stored hash in constant time. */
export function matchesHash(token: string, hash: string): boolean {
  const [given, stored] = [Buffer.from(hashToken(token)), Buffer.from(hash)];
  return given.length === stored.length && timingSafeEqual(given, stored);
}

function randomWord(length: number): string {
  let word = "";
  // randomInt has no modulo bias; a byte modulo 62 would.
  for (let i = 0; i < length; i++) word += ALPHABET[randomInt(ALPHABET.length)];
  return word;
}
