// Owns the order of chains in rounds: each once a round, each round starting with another, so that
// what else the machine does falls on all of them.

import type { Chain } from "../chain.ts";

export async function turns(
  rounds: number,
  chains: readonly Chain[],
  measure: (chain: Chain, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const first = round % chains.length;
    for (const chain of [...chains.slice(first), ...chains.slice(0, first)]) {
      await measure(chain, round);
    }
  }
}
