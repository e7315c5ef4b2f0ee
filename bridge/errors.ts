// Owns the difference between a user's mistake and our bug, and the exit codes of the command line.

export const ExitCode = {
  /** Done, or stopped as asked. */
  ok: 0,
  /** A fault of ours. */
  fault: 1,
  /** A mistake in the call: flags, folder, file. */
  usage: 2,
  /** The verb needs a running bridge and this folder has none. */
  noBridge: 3,
  /** The relay answered and refused this bridge. */
  refused: 4,
  /** The relay, the pty host, a port or room on a disk is not available. */
  unavailable: 5,
  /** A coding agent could not be started, died, or its turn did not end well. */
  agent: 6,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Something the user can put right; `hint` says how. Printed without a stack. */
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

/** The sentence of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's error code (`ENOENT`…), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
