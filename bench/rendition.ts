// Owns which rendition the page speaks: what the product is judged by, and what the bare chain sends
// to be compared with it.

import { SUBPROTOCOL } from "../protocol/version.ts";
import type { Rendition } from "./bare-host.ts";
import type { DialectName } from "./viewer/viewing.ts";

export interface ProductRendition {
  readonly dialect: DialectName;
  readonly subprotocol: string;
}

export const PLAIN: ProductRendition = { dialect: "json", subprotocol: SUBPROTOCOL };
/** To be the raw one when the product serves it. */
export const PAGE: ProductRendition = { dialect: "json", subprotocol: SUBPROTOCOL };
export const PAGE_IS_PLAIN = PAGE.dialect === PLAIN.dialect;
export const BARE_LIKE_PAGE: Rendition = "json";
