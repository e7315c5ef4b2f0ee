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
const BASELINE_TIMES = 4;
const SAMPLE_MS = 100;

export async function stalledRows(bench: Bench): Promise<Row[]> {
  const product = await bench.product();
  const chain = product.seenBy();
  // Twice, around it: the machine may be another one by then.
  const before = await speedOf(bench, chain, 2, BASELINE_TIMES, () => {});
  const resident: number[] = [];
  const stalled = await speedOf(bench, chain, 3, TIMES, () => {
    const timer = setInterval(() => resident.push(residentMegabytes(product.workerd)), SAMPLE_MS);
    return () => clearInterval(timer);
  });
  const { growth, most } = growthOf(resident);
  const after = await speedOf(bench, chain, 2, BASELINE_TIMES, () => {});
  const ratio = stalled / ((before + after) / 2);
  return [
    {
      id: "stalled-rss",
      what: "one stalled viewer: workerd grows over 500 MB by",
      unit: "MB",
      figures: { product: { value: growth, most } },
      target: atMost(8, growth, "≤ 8 MB"),
    },
    {
      id: "stalled-others",
      what: "one stalled viewer: the two others get",
      unit: "MB/s",
      figures: { product: { value: stalled } },
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

/** MB/s to the viewers that read; a third one does not. */
async function speedOf(
  bench: Bench,
  chain: Chain,
  viewers: number,
  times: number,
  watch: () => (() => void) | void,
): Promise<number> {
  const program = bulkProgram(bench.sample.path, times);
  return await crowdOf(bench, chain, viewers, program, async (crowd) => {
    await crowd({ do: "stall", from: 2 });
    const stop = watch();
    const bytes = times * BULK_BYTES;
    const { milliseconds } = await crowd({ do: "bulk", bytes });
    stop?.();
    return bytes / 1000 / milliseconds;
  });
}
