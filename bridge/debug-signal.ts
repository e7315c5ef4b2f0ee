// Owns disabling SIGUSR1. By default Node opens its debugger on a local port when the signal
// arrives, and a debugger can read the code [Q42] and every token from memory. Any process of the
// same user, an agent's program included, may send the signal even where it may not trace. `node
// --inspect` still works.

const ignore = () => {};

/** Ignores SIGUSR1. Safe to call more than once. */
export function ignoreDebugSignal(): void {
  process.off("SIGUSR1", ignore).on("SIGUSR1", ignore);
}
