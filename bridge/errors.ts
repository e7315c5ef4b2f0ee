// Owns the distinction between a user's mistake and a bug in pairpty, and the exit codes of the
// command line.

export const ExitCode = {
  /** Success, or stopped on request. */
  ok: 0,
  /** A bug in pairpty. */
  fault: 1,
  /** Wrong usage: flags, folder or file. */
  usage: 2,
  /** The command needs a running bridge, and this folder has none. */
  noBridge: 3,
  /** The relay answered and refused this bridge. */
  refused: 4,
  /** The relay, the pty host, a port or disk space is not available. */
  unavailable: 5,
  /** A coding agent failed to start, crashed, or its turn ended in an error. */
  agent: 6,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** An error that the user can fix; `hint` says how. Printed without a stack trace. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: ExitCode, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** Returns the message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system error code (`ENOENT`…), or undefined if the error has none. */
export function findSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
