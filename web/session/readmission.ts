// Owns returning after the host removed this browser: checks ever less often whether it may come
// back. The bridge decides.

/** A person who was removed by mistake is let in soon; later no one waits at the page. */
const FIRST_WAIT_MS = 2_000;
const FACTOR = 1.3;
const MAX_WAIT_MS = 30_000;

export interface ReadmissionDeps {
  /** Resolves to whether the host still keeps this browser out. */
  readonly isAway: () => Promise<boolean>;
  /** Aborted when the visit is over. */
  readonly isOver: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Number of earlier waits; each wait starts longer than the last. */
  readonly earlier?: number;
}

/** Resolves to true once the browser may return, or to false when the visit is over. */
export async function waitForReadmission({
  isAway,
  isOver,
  pause,
  earlier = 0,
}: ReadmissionDeps): Promise<boolean> {
  let wait = Math.min(FIRST_WAIT_MS * FACTOR ** earlier, MAX_WAIT_MS);
  for (;;) {
    await pause(wait);
    if (isOver.aborted) return false;
    if (!(await isAway())) return !isOver.aborted;
    wait = Math.min(wait * FACTOR, MAX_WAIT_MS);
  }
}
