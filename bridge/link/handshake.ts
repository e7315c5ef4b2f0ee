// Owns the answer to a room's challenge, and the knock before it. Pure but for the signature.

import { createHash } from "node:crypto";
import type { Challenge, Hello } from "../../protocol/link.ts";
import { helloText, knockText } from "../../protocol/link.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import { SOFTWARE } from "../version.ts";

export interface Credentials {
  readonly workspace: string;
  readonly publicKey: string;
  sign(text: string): string;
  /** For a claim on a relay that is not on loopback. */
  readonly relayKey?: string;
}

/** Ed25519 signs the same text in the same way: no file keeps this, and a new bridge knows it. */
export function knock(credentials: Credentials, origin: string): string {
  const { workspace } = credentials;
  return createHash("sha256")
    .update(credentials.sign(knockText({ workspace, origin })))
    .digest("hex");
}

export function answer(
  challenge: Challenge,
  credentials: Credentials,
  origin: string,
  instance: string,
  epoch: number,
): Hello {
  const { workspace, publicKey, relayKey } = credentials;
  const signature = credentials.sign(
    helloText(challenge.nonce, { workspace, origin, instance, epoch }),
  );
  return {
    version: LINK_VERSION,
    workspace,
    origin,
    publicKey,
    signature,
    instance,
    epoch,
    software: SOFTWARE,
    ...(relayKey === undefined ? {} : { relayKey }),
  };
}
