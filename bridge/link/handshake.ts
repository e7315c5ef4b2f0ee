// Owns the answer to a room's challenge. Pure but for the signature.

import type { Challenge, Hello } from "../../protocol/link.ts";
import { helloText } from "../../protocol/link.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import { SOFTWARE } from "../version.ts";

export interface Credentials {
  readonly workspace: string;
  readonly publicKey: string;
  sign(text: string): string;
  /** For a claim on a relay that is not on loopback. */
  readonly relayKey?: string;
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
