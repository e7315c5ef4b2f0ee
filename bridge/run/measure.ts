// Measures the latency of relay, pty host and people at the same time, within one deadline.

import { latency } from "./latency.ts";

/** Round-trip times in milliseconds; undefined without an answer in time. */
export interface Latencies {
  readonly relay: number | undefined;
  readonly ptyHost: number | undefined;
  /** Through the relay, by peer number. */
  readonly people: ReadonlyMap<number, number | undefined>;
}

export interface Asked {
  readonly relay: () => Promise<number | undefined>;
  /** Resolves when the host has answered. */
  readonly ptyHost: () => Promise<void>;
  readonly people: readonly number[];
  readonly person: (peer: number) => Promise<number | undefined>;
}

export async function measure(asked: Asked, milliseconds: number): Promise<Latencies> {
  const deadline = performance.now() + milliseconds;
  const host = async () => {
    const began = performance.now();
    await asked.ptyHost();
    return performance.now() - began;
  };
  const [relay, ptyHost, ...theirs] = await Promise.all([
    latency(asked.relay, deadline),
    latency(host, deadline).catch(() => undefined),
    ...asked.people.map((peer) => latency(() => asked.person(peer), deadline)),
  ]);
  return { relay, ptyHost, people: new Map(asked.people.map((peer, at) => [peer, theirs[at]])) };
}
