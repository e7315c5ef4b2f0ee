// Measures latency: the median of a few sequential round trips. No answer in time means unknown, not
// slow.

const SAMPLES = 3;

/** Returns milliseconds, or undefined without an answer before the deadline (on `performance.now`). */
export async function measureLatency(
  roundTrip: () => Promise<number | undefined>,
  deadline: number,
): Promise<number | undefined> {
  const times: number[] = [];
  while (times.length < SAMPLES) {
    const time = await raceDeadline(deadline, roundTrip());
    if (time === undefined) break;
    times.push(time);
  }
  return median(times);
}

/** Returns the median; of an even count the lower one, because the first sample tends to be slow. */
export function median(times: readonly number[]): number | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

async function raceDeadline<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
