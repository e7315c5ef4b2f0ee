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
