// Owns making a sealed link from a grant's id and secret. Pure.

import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { deriveLinkKeys } from "../../protocol/sealed/derivation.ts";
import { formatSealedLink } from "../../protocol/sealed/link.ts";
import { compute } from "./node-crypto.ts";

export interface NewSealedLink {
  /** The text behind the `#`. Shown once and not stored: neither half below leads back to it. */
  readonly fragment: string;
  /** The token by which the relay admits; the grant keeps its hash. */
  readonly ticket: string;
  /** The grant's `psk`, in hex. */
  readonly psk: string;
}

export function createSealedLink(request: {
  readonly id: string;
  readonly secret: string;
  readonly workspace: string;
  readonly hostKey: Bytes;
}): NewSealedLink {
  const { ticket, psk } = compute(deriveLinkKeys(request, request.workspace));
  return {
    fragment: formatSealedLink(request),
    ticket,
    psk: Buffer.from(psk).toString("hex"),
  };
}
