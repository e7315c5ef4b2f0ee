// Owns the rows of many viewers of one terminal: how fast they get it, when the last one has a
// keystroke, and what the bridge uploads.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Row, Rounds } from "../figures.ts";
import { atMost, summarize, p, getRatio } from "../figures.ts";
import { makeSample } from "../input-file.ts";
import { bytesWritten } from "../bytes-written.ts";
import { bulkProgram, ECHO_PROGRAM } from "../programs.ts";
import { createCrowd } from "./crowd.ts";
import { turns } from "./turns.ts";
import { compact } from "../../protocol/compact.ts";

/** Viewers, and MB printed: what all get together stays within what one process can read. */
const CROWDS = [
  { viewers: 1, megabytes: 20 },
  { viewers: 10, megabytes: 10 },
  { viewers: 50, megabytes: 4 },
  { viewers: 200, megabytes: 1.5 },
] as const;

const KEYSTROKES = 30;

interface Seen {
  readonly megabytes: number;
  readonly lastMs: number;
  /** By byte printed. */
  readonly upload: number;
  readonly skips: number;
}

export async function viewerRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const chains = await bench.pair();
  const uploads: number[] = [];
  for (const { viewers, megabytes } of CROWDS) {
    const seen = new Map<string, Seen[]>(chains.map(({ name }) => [name, []]));
    const rounds = Math.ceil(bench.plan.rounds / 2);
    await turns(bench, rounds, chains, async (chain) => {
      seen.get(chain.name)?.push(await watch(bench, chain, viewers, megabytes * 1e6));
    });
    rows.push(...listRows(viewers, seen, uploads));
  }
  return rows;
}

async function watch(bench: Bench, chain: Chain, viewers: number, bytes: number): Promise<Seen> {
  const { path } = makeSample(bench.folder, bytes);
  const writer = chain.processes()["bridge"];
  const bulk = await createCrowd(bench, chain, viewers, bulkProgram(path), async (crowd) => {
    const before = bytesWritten(writer);
    const answer = await crowd({ do: "bulk", bytes });
    return { ...answer, written: bytesWritten(writer) - before };
  });
  const echo = await createCrowd(bench, chain, viewers, ECHO_PROGRAM, (crowd) =>
    crowd({ do: "echo", samples: KEYSTROKES }),
  );
  return {
    megabytes: (bytes * viewers) / 1000 / bulk.milliseconds,
    lastMs: p(0.5, echo.samples),
    upload: bulk.written / bytes,
    skips: bulk.skips,
  };
}

function listRows(
  viewers: number,
  seen: ReadonlyMap<string, readonly Seen[]>,
  uploads: number[],
): Row[] {
  const by = (value: (one: Seen) => number): Rounds =>
    new Map([...seen].map(([name, some]) => [name, some.map(value)]));
  const who = `${viewers} ${viewers === 1 ? "viewer" : "viewers"}`;
  const at = { count: viewers, of: "viewers" } as const;
  const megabytes = by((one) => one.megabytes);
  const upload = summarize(new Map([["product", by((one) => one.upload).get("product") ?? []]]));
  const uploaded = upload["product"]?.value ?? Number.NaN;
  uploads.push(uploaded);
  const ratio = getRatio(megabytes);
  const skips = (seen.get("product") ?? []).reduce((sum, one) => sum + one.skips, 0);
  const relative = uploaded / (uploads[0] ?? Number.NaN);
  return [
    {
      id: `viewers-megabytes-${viewers}`,
      what: `${who}: all together`,
      unit: "MB/s",
      figures: summarize(megabytes),
      at,
      ...compact({ ratio }),
      ...(skips > 0 ? { note: `${skips} times a viewer was skipped and given a new start` } : {}),
    },
    {
      id: `viewers-last-${viewers}`,
      what: `${who}: the last has a keystroke, p50`,
      unit: "ms",
      figures: summarize(by((one) => one.lastMs)),
      at,
    },
    {
      id: `viewers-upload-${viewers}`,
      what: `${who}: bridge writes per byte printed`,
      unit: "bytes",
      figures: upload,
      at,
      ...(viewers === 50
        ? { target: atMost(1.05, relative, `1.0x of one viewer's: ${relative.toFixed(2)}`) }
        : {}),
    },
  ];
}
