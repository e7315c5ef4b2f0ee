// Owns the secret part of a sealed link: `pp2_<id>_<secret>_<host key>`, in base62, so that a
// double click selects it as one word. It stays behind the `#`; the relay never gets it. Pure.

import { SEALED_LINK_PATTERN } from "../grant.ts";
import type { Bytes } from "./bytes.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 10;
/** 32 characters of 62: 190 bits. */
const SECRET_LENGTH = 32;
/** The fewest characters of 62 that hold every key of 32 bytes. */
const KEY_LENGTH = 43;
const KEY_BYTES = 32;

const LINK_VERSION = 2;
const LINK_LENGTH = "pp2___".length + ID_LENGTH + SECRET_LENGTH + KEY_LENGTH;
/** The beginning of a token or link of any version. */
const VERSION_PATTERN = /^pp(\d{0,4})_/;

export interface SealedLink {
  /** The grant's id. */
  readonly id: string;
  readonly secret: string;
  /** X25519 public key of the host: 32 raw bytes. */
  readonly hostKey: Bytes;
}

export type ParsedLink =
  | { readonly ok: true; readonly link: SealedLink }
  | {
      readonly ok: false;
      readonly why: "cut" | "damaged" | "newer" | "not a link";
      readonly message: string;
    };

const MESSAGES = {
  cut: "This link is incomplete: copy the whole link and try again.",
  damaged: "This link is damaged: copy it again, or ask for a new one.",
  newer: "This link needs a newer version of pairpty: update it and try again.",
  "not a link": "This is not a pairpty link.",
} as const;

export function formatSealedLink({ id, secret, hostKey }: SealedLink): string {
  return `pp${LINK_VERSION}_${id}_${secret}_${toBase62(hostKey)}`;
}

/** Parses the text behind the `#` of a link. */
export function parseSealedLink(text: string): ParsedLink {
  const [, id = "", secret = "", key = ""] = SEALED_LINK_PATTERN.exec(text) ?? [];
  if (key === "") return refuse(explainMismatch(text));
  const hostKey = fromBase62(key);
  return hostKey === undefined ? refuse("damaged") : { ok: true, link: { id, secret, hostKey } };
}

function explainMismatch(text: string): keyof typeof MESSAGES {
  const [, version = ""] = VERSION_PATTERN.exec(text) ?? [];
  if (Number(version) > LINK_VERSION) return "newer";
  if (Number(version) !== LINK_VERSION) return "not a link";
  return text.length < LINK_LENGTH ? "cut" : "damaged";
}

function refuse(why: keyof typeof MESSAGES): ParsedLink {
  return { ok: false, why, message: MESSAGES[why] };
}

/** Encodes 32 bytes as a number in base62, padded to 43 characters. */
export function toBase62(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  let word = "";
  for (let i = 0; i < KEY_LENGTH; i++) {
    word = (ALPHABET[Number(value % 62n)] ?? "") + word;
    value /= 62n;
  }
  return word;
}

/** Undefined if the number needs more than 32 bytes. */
function fromBase62(word: string): Bytes | undefined {
  let value = 0n;
  for (const character of word) value = value * 62n + BigInt(ALPHABET.indexOf(character));
  const bytes = new Uint8Array(KEY_BYTES);
  for (let at = KEY_BYTES - 1; at >= 0; at--) {
    bytes[at] = Number(value % 256n);
    value /= 256n;
  }
  return value === 0n ? bytes : undefined;
}
