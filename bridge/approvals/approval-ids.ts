// Owns the ids of approvals and rules: short, because people read them out and type them.

import { randomInt } from "node:crypto";

/** Excludes letters and digits that look alike. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 6;

export function newApprovalId(): string {
  let id = "";
  for (let i = 0; i < LENGTH; i++) id += ALPHABET[randomInt(ALPHABET.length)];
  return id;
}
