// Owns what SIGUSR1 does to a process of pairpty: nothing. By default Node opens its debugger on a port
// of this machine when the signal arrives, and a debugger reads the code [Q42] and every token from
// memory. A process of the same user may send the signal where it may not trace, and so may an
// agent's program. `node --inspect` still works: that is the user's own start.

const ignore = () => {};

/** Ignores the signal, once however often it is called. */
export function ignoreDebugSignal(): void {
  process.off("SIGUSR1", ignore).on("SIGUSR1", ignore);
}
