// Owns how latency is measured: a few round trips in a row, the middle one of those that came back
// in time. Whatever does not answer is unknown, not slow.

const SAMPLES = 3;

/** Milliseconds, or undefined when there was no answer before the deadline (on performance.now). */
export async function latency(
  roundTrip: () => Promise<number | undefined>,
  deadline: number,
): Promise<number | undefined> {
  const times: number[] = [];
  while (times.length < SAMPLES) {
    const time = await before(deadline, roundTrip());
    if (time === undefined) break;
    times.push(time);
  }
  return middle(times);
}

/** The median; of an even number the lower one, because a first sample is the slow one. */
export function middle(times: readonly number[]): number | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

async function before<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
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
