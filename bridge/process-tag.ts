// Owns the environment variable that tags the processes of a terminal or a command, so that they
// can be found later.

export const PROCESS_TAG_ENV = "PAIRPTY_TERMINAL";

/** Prefix of a command run's id, also in its tag; terminal ids begin with `pty-`. */
export const RUN_PREFIX = "run-";

/** Returns a tag unique to one terminal of one pty host: a sweep kills nothing else. */
export function formatProcessTag(instance: string, id: string): string {
  return `${id}@${instance}`;
}
