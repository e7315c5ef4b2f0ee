// Owns the closed sets of close codes and error codes, each with its use.

/** WebSocket close codes. A client does not reconnect on its own on those in FINAL_CLOSE_CODES. */
export const CloseCode = {
  /** The other side is done; no error. */
  normal: 1000,
  /** The client sent messages faster than the limits allow. */
  tooFast: 1008,
  /** The client sent a message over the size limit. */
  tooBig: 1009,
  /** The room had an internal error; the client may retry. */
  internal: 1011,
  /** The peer cannot keep up, or the room is busy; the client may retry later. */
  tryLater: 1013,
  /** A frame or message violates the protocol. */
  badMessage: 4400,
  /** The token is missing, unknown, revoked or expired. */
  unauthorized: 4401,
  /** The token is valid but does not allow this. */
  forbidden: 4403,
  /** The workspace has not been claimed by a bridge. */
  noSuchWorkspace: 4404,
  /** The bridge sent no hello in time. */
  helloTimeout: 4408,
  /** Another bridge holds this workspace and responds. */
  anotherBridge: 4409,
  /** The same bridge opened a newer link; this one is obsolete. */
  replaced: 4410,
  /** The host refused or removed this person. */
  sentAway: 4411,
  /** The two sides speak no common version. */
  version: 4426,
  /** The room has reached its limit of people. */
  roomFull: 4429,
} as const;

/**
 * Reasons for a close with `unauthorized`, if the room still knows why the token is invalid. Any
 * other reason means that it does not know.
 */
export const LINK_ENDED_REASONS = {
  revoked: "This link was revoked.",
  expired: "This link has expired.",
  ended: "This link ended with the host's session.",
} as const;
export type LinkEndedReason = keyof typeof LINK_ENDED_REASONS;

/** Codes on which retrying would fail again: the client needs something from its user. */
export const FINAL_CLOSE_CODES: ReadonlySet<number> = new Set([
  CloseCode.unauthorized,
  CloseCode.forbidden,
  CloseCode.sentAway,
  CloseCode.version,
]);

/** Codes in error bodies and in `pty:error`, with the HTTP status of each. */
export const ErrorCode = {
  /** The request or message does not match its schema. */
  bad_request: 400,
  /** The token is missing, unknown, revoked or expired. */
  unauthorized: 401,
  /** The grant's role or scopes do not allow this. */
  forbidden: 403,
  /** This relay does not serve this Host or Origin. */
  wrong_origin: 403,
  /** The workspace, terminal or route does not exist. */
  not_found: 404,
  /** The route exists, but not for this method. */
  method_not_allowed: 405,
  /** The program or working directory does not exist or cannot be used. */
  spawn_failed: 422,
  /** Body or message over its limit. */
  too_large: 413,
  /** A WebSocket route was requested without an upgrade. */
  upgrade_required: 426,
  /** Too many requests or terminals at the same time. */
  too_many: 429,
  /** An internal error of pairpty. */
  internal: 500,
  /** The bridge sent an invalid response. */
  bad_bridge: 502,
  /** No bridge is connected to this room, or it does not answer. */
  bridge_away: 503,
  /** The host was asleep when the message arrived; it was dropped, not run. */
  host_asleep: 503,
  /** The bridge took too long to respond. */
  bridge_timeout: 504,
  /**
   * The host cannot write to its disk. A change that grants more was refused; one that revokes is
   * in effect but not saved.
   */
  not_saved: 507,
} as const;

export type ErrorCode = keyof typeof ErrorCode;

/** The body of every HTTP error: a code for programs, a message for people. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly error: string;
  /** With `bridge_away`: Unix ms since when, if known. */
  readonly since?: number;
}
