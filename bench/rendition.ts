// Owns which rendition the page speaks: what the product is judged by, and what the bare chain sends
// to be compared with it.

import { RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL } from "../protocol/limits.ts";
import type { Rendition } from "./bare-host.ts";
import type { DialectName } from "./viewer/viewing.ts";

export interface ProductRendition {
  readonly dialect: DialectName;
  readonly subprotocol: string;
}

/** What a client written from the protocol's text speaks. */
export const PLAIN: ProductRendition = { dialect: "json", subprotocol: PLAIN_SUBPROTOCOL };

/** What our own page speaks. */
export const PAGE: ProductRendition = { dialect: "raw", subprotocol: RAW_SUBPROTOCOL };

export const BARE_LIKE_PAGE: Rendition = "bytes";
