// Owns coming back after the host sent this browser away: asked now and then, ever less often, until
// somebody lets it come again. Decides nothing: the bridge does.

/** Whoever was turned away by mistake is let in within a moment; later nobody waits at the page. */
const FIRST_MS = 2_000;
const FACTOR = 1.3;
const MOST_MS = 30_000;

export interface Returning {
  /** Whether the host still keeps it out. */
  readonly isAway: () => Promise<boolean>;
  /** The visit is over: nobody waits any more. */
  readonly isOver: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** True once it may come; false when nobody waits for that any more. */
export async function untilPardoned({ isAway, isOver, pause }: Returning): Promise<boolean> {
  let wait = FIRST_MS;
  for (;;) {
    await pause(wait);
    if (isOver.aborted) return false;
    if (!(await isAway())) return !isOver.aborted;
    wait = Math.min(wait * FACTOR, MOST_MS);
  }
}
