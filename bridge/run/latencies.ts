// Measures the latency of relay, pty host and people at the same time, within one deadline.
// Measures latency: the median of a few sequential round trips. No answer in time means unknown,
// not slow.

/** Round-trip times in milliseconds; undefined without an answer in time. */
export interface Latencies {
  readonly relay: number | undefined;
  readonly ptyHost: number | undefined;
  /** Through the relay, by peer number. */
  readonly people: ReadonlyMap<number, number | undefined>;
}

export interface MeasureTargets {
  readonly pingRelay: () => Promise<number | undefined>;
  /** Resolves when the host has answered. */
  readonly pingPtyHost: () => Promise<void>;
  readonly people: readonly number[];
  readonly pingPerson: (peer: number) => Promise<number | undefined>;
}

export async function measureLatencies(
  targets: MeasureTargets,
  milliseconds: number,
): Promise<Latencies> {
  const deadline = performance.now() + milliseconds;
  const host = async () => {
    const began = performance.now();
    await targets.pingPtyHost();
    return performance.now() - began;
  };
  const [relay, ptyHost, ...personLatencies] = await Promise.all([
    measureLatency(targets.pingRelay, deadline),
    measureLatency(host, deadline).catch(() => undefined),
    ...targets.people.map((peer) => measureLatency(() => targets.pingPerson(peer), deadline)),
  ]);
  return {
    relay,
    ptyHost,
    people: new Map(targets.people.map((peer, at) => [peer, personLatencies[at]])),
  };
}

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
