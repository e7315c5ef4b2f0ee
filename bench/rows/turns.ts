// Owns the order of chains in rounds: each once a round, each round starting with another, so that
// what else the machine does falls on all of them.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";

/** Peers take part in some of the rounds; one that fails is left out, with a line. Our own must not. */
export async function turns(
  bench: Bench,
  rounds: number,
  chains: readonly Chain[],
  measure: (chain: Chain) => Promise<void>,
): Promise<void> {
  const failed = new Set<Chain>();
  for (let round = 0; round < rounds; round++) {
    const first = round % chains.length;
    for (const chain of [...chains.slice(first), ...chains.slice(0, first)]) {
      const isPeer = bench.peers.chains.includes(chain);
      if (failed.has(chain) || (isPeer && round >= bench.plan.peerRounds)) continue;
      try {
        await measure(chain);
      } catch (error) {
        if (!isPeer) throw error;
        failed.add(chain);
        bench.note(`${chain.name} was left out: ${String(error)}`);
      }
    }
  }
}
