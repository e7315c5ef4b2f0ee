// Owns base64 of bytes: the form of what a page sends, since rooms take text.

import type { Bytes } from "../../protocol/sealed/bytes.ts";

/** Arguments of one call: engines limit their number. */
const CHUNK = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/** Throws if the text is not base64. */
export function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
