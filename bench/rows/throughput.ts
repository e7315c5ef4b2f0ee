// Owns the rows of a 50 MB `cat`: how fast it comes, and what it costs the processes on its way.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Row, Rounds } from "../figures.ts";
import { all, atLeast, atMost, summarize, getRatio } from "../figures.ts";
import { BULK_BYTES, BULK_TRIES, BULK_WARM_UP_BYTES } from "../plan.ts";
import type { Sample } from "../input-file.ts";
import { makeSample } from "../input-file.ts";
import { processorTime, spent } from "../processor-time.ts";
import { bulkProgram } from "../programs.ts";
import { PLAIN } from "../rendition.ts";
import { turns } from "./turns.ts";
import { compact } from "../../protocol/compact.ts";

export interface Bulk {
  readonly megabytesPerSecond: number;
  readonly processorMs: Readonly<Record<string, number>>;
}

const MB = BULK_BYTES / 1e6;

export async function throughputRows(bench: Bench): Promise<Row[]> {
  const [page, bare] = await bench.pair();
  const product = await bench.product();
  const plain = product.seenBy({ name: "product, JSON", rendition: PLAIN });
  return await measure(bench, [page, bare, plain]);
}

async function measure(bench: Bench, ours: readonly Chain[]): Promise<Row[]> {
  const chains = [...ours, ...bench.peers.chains];
  const warm = makeSample(bench.folder, BULK_WARM_UP_BYTES);
  for (const chain of ours) await bulk(bench, chain, warm);
  const bulks = new Map<string, Bulk[]>(chains.map(({ name }) => [name, []]));
  let losses = 0;
  await turns(bench, bench.plan.rounds, chains, async (chain) => {
    for (let tries = 0; tries < BULK_TRIES; tries++) {
      const one = await bulk(bench, chain, bench.sample);
      if (one !== undefined) return void bulks.get(chain.name)?.push(one);
      losses++;
    }
    return undefined;
  });
  return listRows(bulks, losses);
}

export async function bulk(bench: Bench, chain: Chain, sample: Sample): Promise<Bulk | undefined> {
  const { path, bytes, sha256 } = sample;
  const clock = processorClock(chain);
  const answer = await bench.view(
    "bulk",
    chain,
    [bulkProgram(path)],
    (of) => {
      clock.start();
      return { measure: "bulk", of, bytes };
    },
    () => clock.stop(),
  );
  if (answer.measure !== "bulk") return undefined;
  if (answer.sha256 !== sha256) throw new Error(`${chain.name}: other bytes came than printed`);
  return {
    megabytesPerSecond: bytes / 1000 / answer.milliseconds,
    processorMs: clock.spent(),
  };
}

/** A peer's server lives only as long as its terminal: both readings are taken while it does. */
function processorClock(chain: Chain) {
  let [before, after]: Record<string, number>[] = [{}, {}];
  return {
    start: () => {
      before = processorTime(chain.processes());
    },
    stop: () => {
      after = processorTime(chain.processes());
    },
    spent: () => spent(before ?? {}, after ?? {}),
  };
}

function listRows(bulks: ReadonlyMap<string, readonly Bulk[]>, losses: number): Row[] {
  const by = (value: (one: Bulk) => number): Rounds =>
    new Map([...bulks].map(([name, some]) => [name, some.map(value)]));
  const speeds = by((one) => one.megabytesPerSecond);
  const cpu = by(({ processorMs }) => sum(Object.values(processorMs)) / MB);
  const [ofSpeed, ofCpu, ofTtyd] = [
    getRatio(speeds),
    getRatio(cpu),
    getRatio(speeds, "product", "ttyd"),
  ];
  return [
    {
      id: "throughput",
      what: "50 MB cat",
      unit: "MB/s",
      figures: summarize(speeds),
      ...compact({ ratio: ofSpeed }),
      target: all(
        atLeast(1.1, ofSpeed?.median, "≥ 1.1x bare"),
        ...(ofTtyd === undefined ? [] : [atLeast(0.9, ofTtyd.median, "≥ 0.9x ttyd")]),
      ),
      ...(losses > 0 ? { note: `${losses} tries were begun again: the viewer lost bytes` } : {}),
    },
    {
      id: "throughput-cpu",
      what: "CPU per MB, all processes",
      unit: "ms",
      figures: summarize(cpu),
      ...compact({ ratio: ofCpu }),
      target: atMost(0.9, ofCpu?.median, "≤ 0.9x bare"),
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
