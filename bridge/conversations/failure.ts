// Owns why a coding agent's request failed: a closed set of kinds, each with a message. The dialect
// maps them to the wire.

export type FailureKind =
  /** Invalid parameters. */
  | "invalid"
  /** The session, terminal or file does not exist, or no longer. */
  | "not_found"
  /** Refused by the policy, a person, a limit or a missing right. */
  | "refused"
  /** The user has disabled it. */
  | "off"
  /** The request was cancelled. */
  | "cancelled";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  /** Milliseconds after which a retry may succeed. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
