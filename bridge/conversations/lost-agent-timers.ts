// Owns how long a conversation waits for its agent to return: one timer for its terminals, one for
// its end. Does not end them itself.

/** How long a disconnected agent's terminals are kept for its return. */
export const TERMINAL_GRACE_MS = 30_000;
/** As long as a local agent's grant outlives its connection. */
export const LOST_GRACE_MS = 10 * 60_000;
interface LostAgentActions {
  readonly releaseTerminals: () => void;
  /** Ends the conversation; absent if it has ended already. */
  readonly end?: (() => void) | undefined;
}

export class LostAgentTimers {
  readonly #timers = new Map<string, NodeJS.Timeout[]>();

  /** Starts the timers of a conversation; replaces earlier ones. */
  start(id: string, { releaseTerminals, end }: LostAgentActions): void {
    const timers = [setTimeout(releaseTerminals, TERMINAL_GRACE_MS)];
    if (end !== undefined) timers.push(setTimeout(end, LOST_GRACE_MS));
    for (const timer of timers) timer.unref();
    this.stop(id);
    this.#timers.set(id, timers);
  }

  stop(id: string): void {
    for (const timer of this.#timers.get(id) ?? []) clearTimeout(timer);
    this.#timers.delete(id);
  }

  dispose(): void {
    for (const id of this.#timers.keys()) this.stop(id);
  }
}
