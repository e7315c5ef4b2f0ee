// Owns the closed sets of close codes and error codes, each with when it is used.

/** WebSocket close codes. A client does not reconnect by itself on those in FINAL_CLOSE_CODES. */
export const CloseCode = {
  /** The other side is done; nothing is wrong. */
  normal: 1000,
  /** Messages came faster than the limits allow. */
  tooFast: 1008,
  /** A message was longer than the limits allow. */
  tooBig: 1009,
  /** The room met a fault of its own; trying again is right. */
  internal: 1011,
  /** The peer cannot keep up, or the room cannot take it now; try again later. */
  tryLater: 1013,
  /** A frame or message that is not of the protocol. */
  badMessage: 4400,
  /** The token is missing, unknown, revoked or expired. */
  unauthorized: 4401,
  /** The token is good but may not do this here. */
  forbidden: 4403,
  /** Nobody has claimed this workspace. */
  noSuchWorkspace: 4404,
  /** A bridge connected and said no hello in time. */
  helloTimeout: 4408,
  /** Another bridge holds this workspace and answers. */
  anotherBridge: 4409,
  /** The same bridge came back on a newer link; this one is its past. */
  replaced: 4410,
  /** The host did not let this person in, or sent them away. */
  sentAway: 4411,
  /** The two sides speak no common version. */
  version: 4426,
  /** The room has as many people as it takes. */
  roomFull: 4429,
} as const;

/**
 * Why a token opens nothing any more: the reason of a close with `unauthorized`, where the room still
 * knows it. Any other reason means that it does not.
 */
export const GONE_REASONS = {
  revoked: "This link was revoked.",
  expired: "This link has expired.",
  ended: "This link ended with the host's session.",
} as const;
export type GoneHow = keyof typeof GONE_REASONS;

/** After these a client asks its user for something; trying again would give the same answer. */
export const FINAL_CLOSE_CODES: ReadonlySet<number> = new Set([
  CloseCode.unauthorized,
  CloseCode.forbidden,
  CloseCode.sentAway,
  CloseCode.version,
]);

/** Codes in error bodies and in `pty:error`, with the HTTP status each has where it is an answer. */
export const ErrorCode = {
  /** The request or message does not fit its schema. */
  bad_request: 400,
  /** No token, or one that is unknown, revoked or expired. */
  unauthorized: 401,
  /** The grant's role or scopes do not allow this. */
  forbidden: 403,
  /** A Host or Origin that this relay does not serve. */
  wrong_origin: 403,
  /** No such workspace, terminal or route. */
  not_found: 404,
  /** The route exists, the method does not. */
  method_not_allowed: 405,
  /** The program or folder to start in does not exist or cannot be run. */
  spawn_failed: 422,
  /** Body or message over its limit. */
  too_large: 413,
  /** A WebSocket route was asked without an upgrade. */
  upgrade_required: 426,
  /** Too many requests or terminals at once. */
  too_many: 429,
  /** A fault of ours. */
  internal: 500,
  /** The bridge answered with something that is not an answer. */
  bad_bridge: 502,
  /** No bridge is connected to this room, or it does not answer. */
  bridge_away: 503,
  /** The host was asleep when this came: it was dropped, not run. */
  host_asleep: 503,
  /** The bridge took too long. */
  bridge_timeout: 504,
  /** The host's disk cannot keep it: what gives more was not done; what takes away holds, unsaved. */
  not_saved: 507,
} as const;

export type ErrorCode = keyof typeof ErrorCode;

/** The body of every HTTP error: a code for programs, a sentence for people. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly error: string;
  /** With `bridge_away`: Unix ms since when, if known. */
  readonly since?: number;
}
