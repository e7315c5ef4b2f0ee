// Owns the rows of a viewer that stopped reading: what the room keeps for it over 500 MB, and what the
// others lose by it.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Row } from "../figures.ts";
import { atLeast, atMost } from "../figures.ts";
import { residentMegabytes } from "../memory.ts";
import { BULK_BYTES } from "../plan.ts";
import { bulkProgram } from "../programs.ts";
import { percentile } from "../statistics.ts";
import { crowdOf } from "./crowd.ts";

const TIMES = 10;
const AFTER_TIMES = 4;
const SAMPLE_MS = 100;

export async function stalledRows(bench: Bench): Promise<Row[]> {
  const product = await bench.product();
  const chain = product.seenBy();
  // Before and after it: the machine may be another one by then. The first also shows what workerd
  // grows by when nobody stalls.
  const before = await watched(bench, chain, 2, TIMES, product.workerd);
  const stalled = await watched(bench, chain, 3, TIMES, product.workerd);
  const after = await watched(bench, chain, 2, AFTER_TIMES, product.workerd);
  const ratio = stalled.speed / ((before.speed + after.speed) / 2);
  return [
    {
      id: "stalled-rss",
      what: "one stalled viewer: workerd grows over 500 MB by",
      unit: "MB",
      figures: { product: { value: stalled.growth, most: stalled.most } },
      target: atMost(8, stalled.growth, "≤ 8 MB"),
    },
    {
      id: "stalled-rss-none",
      what: "no stalled viewer: workerd grows over 500 MB by",
      unit: "MB",
      figures: { product: { value: before.growth, most: before.most } },
    },
    {
      id: "stalled-others",
      what: "one stalled viewer: the two others get",
      unit: "MB/s",
      figures: { product: { value: stalled.speed } },
      target: atLeast(0.9, ratio, `≥ 0.9x without it: ${ratio.toFixed(2)}`),
    },
  ];
}

/** From the first tenth of the way to the last: what comes and goes meanwhile is not kept. */
function growthOf(resident: readonly number[]): { growth: number; most: number } {
  const tenth = Math.ceil(resident.length / 10);
  const from = percentile(resident.slice(0, tenth), 0.5);
  const growth = percentile(resident.slice(-tenth), 0.5) - from;
  return { growth, most: Math.max(...resident) - from };
}

/** MB/s to the two viewers that read, and what workerd has meanwhile; a third one does not read. */
async function watched(
  bench: Bench,
  chain: Chain,
  viewers: number,
  times: number,
  workerd: number,
): Promise<{ speed: number; growth: number; most: number }> {
  const program = bulkProgram(bench.sample.path, times);
  return await crowdOf(bench, chain, viewers, program, async (crowd) => {
    await crowd({ do: "stall", from: 2 });
    const resident: number[] = [];
    const timer = setInterval(() => resident.push(residentMegabytes(workerd)), SAMPLE_MS);
    const bytes = times * BULK_BYTES;
    try {
      const { milliseconds } = await crowd({ do: "bulk", bytes });
      return { speed: bytes / 1000 / milliseconds, ...growthOf(resident) };
    } finally {
      clearInterval(timer);
    }
  });
}
