// Owns the rows of a recording: what it takes from a 50 MB `cat`, and how much of that it holds.

import { readFileSync } from "node:fs";
import { readCast } from "../../protocol/asciicast.ts";
import type { Bench } from "../bench.ts";
import type { Row, Rounds } from "../figures.ts";
import { atLeast, summarize, getRatio } from "../figures.ts";
import { BULK_BYTES, BULK_TRIES, BULK_WARM_UP_BYTES } from "../plan.ts";
import { makeSample } from "../input-file.ts";
import type { Bulk } from "./throughput.ts";
import { bulk } from "./throughput.ts";
import { turns } from "./turns.ts";

const RECORDED = "product, recorded";

export async function recordingRows(bench: Bench): Promise<Row[]> {
  const product = await bench.product();
  const held: number[] = [];
  const chains = [
    product.seenBy(),
    product.recorded(RECORDED, (file) => held.push(readOutput(file))),
  ];
  const warm = makeSample(bench.folder, BULK_WARM_UP_BYTES);
  for (const chain of chains) await bulk(bench, chain, warm);
  held.length = 0;
  const bulks = new Map<string, Bulk[]>(chains.map(({ name }) => [name, []]));
  await turns(bench, bench.plan.rounds, chains, async (chain) => {
    for (let tries = 0; tries < BULK_TRIES; tries++) {
      const one = await bulk(bench, chain, bench.sample);
      if (one !== undefined) return void bulks.get(chain.name)?.push(one);
    }
    return undefined;
  });
  const speeds: Rounds = new Map(
    [...bulks].map(([name, some]) => [name, some.map((one) => one.megabytesPerSecond)]),
  );
  const ratio = getRatio(speeds, RECORDED, "product");
  const shares = held.map((bytes) => (100 * bytes) / BULK_BYTES);
  return [
    {
      id: "recording",
      what: "50 MB cat, recorded",
      unit: "MB/s",
      figures: summarize(speeds),
      target: atLeast(0.6, ratio?.median, "≥ 0.6x not recorded"),
      note: `recorded it is ${ratio?.median.toFixed(2)}x as fast`,
    },
    {
      id: "recording-held",
      what: "of the 50 MB in the recording",
      unit: "%",
      figures: summarize(new Map([[RECORDED, shares]])),
    },
  ];
}

/** In bytes: the sample has a byte for each character. */
function readOutput(file: string): number {
  const read = readCast(readFileSync(file, "utf8"));
  if (!read.ok) throw new Error(read.error);
  const outputs = read.cast.events.filter(({ code }) => code === "o");
  return sum(outputs.map(({ data }) => data.length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
