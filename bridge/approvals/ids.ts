// Owns the names of approvals and rules: short, since people tell them on the phone and type them.

import { randomInt } from "node:crypto";

/** No letters that look alike. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 6;

export function newApprovalId(): string {
  let id = "";
  for (let i = 0; i < LENGTH; i++) id += ALPHABET[randomInt(ALPHABET.length)];
  return id;
}
