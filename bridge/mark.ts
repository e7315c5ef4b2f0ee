// Owns the one variable by which the processes of a terminal or a command are found again.

export const MARK = "PAIRPTY_TERMINAL";

/** What the id of a command's run begins with, in its mark too: a terminal's begins with `pty-`. */
export const RUN_PREFIX = "run-";

/** Unique to one terminal of one host, so that a sweep cannot reach anything else. */
export function markOf(instance: string, id: string): string {
  return `${id}@${instance}`;
}
