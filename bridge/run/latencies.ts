// Measures the latency of relay, pty host and people at the same time, within one deadline.

import { measureLatency } from "./latency.ts";

/** Round-trip times in milliseconds; undefined without an answer in time. */
export interface Latencies {
  readonly relay: number | undefined;
  readonly ptyHost: number | undefined;
  /** Through the relay, by peer number. */
  readonly people: ReadonlyMap<number, number | undefined>;
}

export interface MeasureTargets {
  readonly relay: () => Promise<number | undefined>;
  /** Resolves when the host has answered. */
  readonly ptyHost: () => Promise<void>;
  readonly people: readonly number[];
  readonly person: (peer: number) => Promise<number | undefined>;
}

export async function measureLatencies(
  targets: MeasureTargets,
  milliseconds: number,
): Promise<Latencies> {
  const deadline = performance.now() + milliseconds;
  const host = async () => {
    const began = performance.now();
    await targets.ptyHost();
    return performance.now() - began;
  };
  const [relay, ptyHost, ...personLatencies] = await Promise.all([
    measureLatency(targets.relay, deadline),
    measureLatency(host, deadline).catch(() => undefined),
    ...targets.people.map((peer) => measureLatency(() => targets.person(peer), deadline)),
  ]);
  return {
    relay,
    ptyHost,
    people: new Map(targets.people.map((peer, at) => [peer, personLatencies[at]])),
  };
}
