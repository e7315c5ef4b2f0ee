// Owns the faults of sealed messages. Each ends the session or handshake in which it occurs.

export type SealedFaultCode =
  /** The bytes do not have the form of the message. */
  | "malformed"
  /** The other side speaks another version of the handshake. */
  | "version"
  /** A wrong key, or changed, moved or reflected bytes. */
  | "not_authentic"
  /** A counter or number is repeated or missing. */
  | "out_of_order"
  /** The body ended before its last record. */
  | "cut_short"
  /** The key has sealed as much as it may. */
  | "exhausted"
  /** An earlier fault ended the session. */
  | "ended";

export class SealedFault extends Error {
  readonly code: SealedFaultCode;

  constructor(code: SealedFaultCode, message: string) {
    super(message);
    this.name = "SealedFault";
    this.code = code;
  }
}
