// Owns making tokens. A token is shown once; only its hash is stored.

import { createHash, randomInt, timingSafeEqual } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 10;
/** 32 characters of 62: 190 bits. */
const SECRET_LENGTH = 32;

export interface NewToken {
  readonly id: string;
  readonly token: string;
  readonly hash: string;
}

export function newToken(): NewToken {
  const id = randomWord(ID_LENGTH);
  const token = `pp_${id}_${randomWord(SECRET_LENGTH)}`;
  return { id, token, hash: hashToken(token) };
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
