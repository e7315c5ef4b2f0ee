// Owns having a crowd look at one terminal for as long as something is measured.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import { toViewed } from "../chain.ts";
import type { CrowdAnswer, CrowdRequest } from "../viewer/crowd.ts";

export type Crowd = (request: CrowdRequest) => Promise<Exclude<CrowdAnswer, { error: string }>>;

export async function createCrowd<T>(
  bench: Bench,
  chain: Chain,
  viewers: number,
  command: readonly string[],
  measure: (crowd: Crowd) => Promise<T>,
): Promise<T> {
  const crowd: Crowd = async (request) => {
    const answer = await bench.crowd.ask<CrowdAnswer>(request);
    if (!("error" in answer)) return answer;
    throw new Error(`${chain.name}, ${viewers} viewers, ${request.do}: ${answer.error}`);
  };
  const terminal = await chain.open(command);
  try {
    const attach = chain.name.startsWith("bare") ? "first" : "each";
    const protocols = await chain.crowdProtocols?.();
    const open = { do: "open", of: toViewed(terminal), viewers, attach } as const;
    await crowd(protocols === undefined ? open : { ...open, protocols });
    return await measure(crowd);
  } finally {
    await crowd({ do: "close" });
    await terminal.close();
  }
}
