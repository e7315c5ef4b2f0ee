// Owns the rows of a viewer that stopped reading: what the room keeps for it over 500 MB, and what the
// others lose by it; and what is lost with a peer whose viewers share a terminal.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import { toViewed } from "../chain.ts";
import type { Figure, Row } from "../figures.ts";
import { atLeast, atMost } from "../figures.ts";
import { residentMegabytes } from "../memory.ts";
import { BULK_BYTES, SILENCE_MS } from "../plan.ts";
import { bulkProgram } from "../programs.ts";
import { percentile } from "../statistics.ts";
import { dial } from "../viewer/transport.ts";
import { createCrowd } from "./crowd.ts";
import { turns } from "./turns.ts";

const TIMES = 10;
/** Of 50 MB each, with and without: a machine is another one a minute later, and seldom the next second. */
const TURNS = 9;
const SAMPLE_MS = 100;

export async function stalledRows(bench: Bench): Promise<Row[]> {
  const product = await bench.product();
  const chain = product.seenBy();
  // First without: workerd's heap grows by some 50 MB under the first flood, whoever watches.
  await watched(bench, chain, 2, TIMES, product.workerd);
  const stalled = await watched(bench, chain, 3, TIMES, product.workerd);
  const speed = async (viewers: number) =>
    (await watched(bench, chain, viewers, 1, product.workerd)).speed;
  const ratio = await ratioInTurns(speed);
  const others = await besideStalled(bench);
  return [
    {
      id: "stalled-rss",
      what: "one stalled viewer: workerd grows over 500 MB by",
      unit: "MB",
      figures: { product: { value: stalled.growth, most: stalled.most } },
      target: atMost(8, stalled.growth, "≤ 8 MB"),
    },
    {
      id: "stalled-others",
      what: "one stalled viewer: the two others get",
      unit: "MB/s",
      figures: { product: { value: stalled.speed }, ...others.figures },
      target: atLeast(0.9, ratio, `≥ 0.9x without it: ${ratio.toFixed(2)}`),
      ...(others.frozen.length === 0 ? {} : { note: frozenText(others.frozen) }),
    },
  ];
}

/** What the others get with a third viewer that stalls, of what they get without: the median turn. */
async function ratioInTurns(speed: (viewers: number) => Promise<number>): Promise<number> {
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const isFirst = turn % 2 === 0;
    const early = await speed(isFirst ? 3 : 2);
    const late = await speed(isFirst ? 2 : 3);
    ratios.push(isFirst ? early / late : late / early);
  }
  return percentile(ratios, 0.5);
}

/** From the first tenth of the way to the last: what comes and goes meanwhile is not kept. */
function toGrowth(resident: readonly number[]): { growth: number; most: number } {
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
  return await createCrowd(bench, chain, viewers, program, async (crowd) => {
    await crowd({ do: "stall", from: 2 });
    const resident: number[] = [];
    const timer = setInterval(() => resident.push(residentMegabytes(workerd)), SAMPLE_MS);
    const bytes = times * BULK_BYTES;
    try {
      const { milliseconds } = await crowd({ do: "bulk", bytes });
      return { speed: bytes / 1000 / milliseconds, ...toGrowth(resident) };
    } finally {
      clearInterval(timer);
    }
  });
}

/**
 * What one viewer of a peer's terminal gets of 50 MB, with all of them checked, beside one that does
 * not read. Nothing where it got no more bytes.
 */
async function besideStalled(bench: Bench) {
  const { path, bytes, sha256 } = bench.sample;
  const figures: Record<string, Figure> = {};
  const frozen: string[] = [];
  const chains = bench.peers.chains.filter(({ isShared }) => isShared === true);
  await turns(bench, 1, chains, async (chain) => {
    const answer = await bench.view("bulk", withStalled(chain), [bulkProgram(path)], (of) => ({
      measure: "bulk",
      of,
      bytes,
    }));
    if (answer.measure !== "bulk") {
      frozen.push(chain.name);
      figures[chain.name] = { value: 0 };
      return;
    }
    if (answer.sha256 !== sha256) throw new Error(`${chain.name}: other bytes came than printed`);
    figures[chain.name] = { value: bytes / 1000 / answer.milliseconds };
  });
  return { figures, frozen };
}

/** The same, with a viewer in each terminal that never reads its socket. */
function withStalled(chain: Chain): Chain {
  return {
    ...chain,
    open: async (command) => {
      const terminal = await chain.open(command);
      const stalled = await dial(toViewed(terminal));
      stalled.pause();
      const close = async () => {
        stalled.close();
        await terminal.close();
      };
      return { ...terminal, close };
    },
  };
}

function frozenText(names: readonly string[]): string {
  const seconds = SILENCE_MS / 1000;
  return `0 of ${names.join(", ")} means that its other viewer got nothing any more for ${seconds} s, with bytes owed.`;
}
