// Owns why a coding agent does not get what it asked for: a closed set of kinds, each with a
// sentence. How a wire says it is the dialect's.

export type FailureKind =
  /** Parameters that do not fit. */
  | "invalid"
  /** A session, terminal or file that is not there, or not any more. */
  | "not_found"
  /** The policy, a person, a limit or a right says no. */
  | "refused"
  /** The user has turned it off. */
  | "off"
  /** Nobody waits for it any more. */
  | "cancelled";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  /** Milliseconds until trying again may help. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, sentence: string, retryAfterMs?: number) {
    super(sentence);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
