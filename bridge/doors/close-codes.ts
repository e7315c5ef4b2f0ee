// Owns the close code of each reason for which the bridge closes a socket of the relay.

import { CloseCode } from "../../protocol/codes.ts";
import type { CloseReason } from "../callers/caller.ts";

export const CLOSE_CODES: Readonly<Record<CloseReason["why"], number>> = {
  revoked: CloseCode.unauthorized,
  expired: CloseCode.unauthorized,
  "sent away": CloseCode.sentAway,
  full: CloseCode.tryLater,
  // The client reconnects automatically, and then waits.
  knocks: CloseCode.tryLater,
  "no ticket": CloseCode.tryLater,
  unproven: CloseCode.unauthorized,
  "wrong door": CloseCode.forbidden,
  sealed: CloseCode.forbidden,
  unreadable: CloseCode.badMessage,
  internal: CloseCode.internal,
};
