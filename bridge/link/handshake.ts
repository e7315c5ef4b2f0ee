// Owns the response to a room's challenge and the dial's knock before it. Pure except for signing.

import { createHash } from "node:crypto";
import type { Challenge, Hello } from "../../protocol/link.ts";
import { helloText, knockText } from "../../protocol/link.ts";
import { LINK_VERSION } from "../../protocol/limits.ts";
import { SOFTWARE } from "../build-info.ts";

export interface Credentials {
  readonly workspace: string;
  readonly publicKey: string;
  sign(text: string): string;
  /** Sent to claim a room on a relay that is not on loopback. */
  readonly relayKey?: string;
}

/**
 * Returns the dial's knock. Ed25519 is deterministic, so every bridge of this workspace computes
 * the same one.
 */
export function computeKnock(credentials: Credentials, origin: string): string {
  const { workspace } = credentials;
  return createHash("sha256")
    .update(credentials.sign(knockText({ workspace, origin })))
    .digest("hex");
}

export function createHello(
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
