// Owns the rows of ^C under a flood: from the keystroke to the prompt behind it, for a viewer that
// takes everything at once and for one that reads 1 MB/s.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Figure, Row } from "../figures.ts";
import { atMost, toFigure } from "../figures.ts";
import { SLOW_BYTES } from "../plan.ts";
import { INTERRUPTIBLE_PROGRAM } from "../programs.ts";
import type { Waited } from "../viewer/viewing.ts";
import { turns } from "./turns.ts";
import { compact } from "../../protocol/compact.ts";

interface Viewing {
  readonly id: string;
  readonly what: string;
  readonly rate?: number;
  /** Long enough that whatever can fill up is full. */
  readonly floodMs: number;
  readonly limitMs: number;
}

const VIEWINGS: readonly Viewing[] = [
  { id: "fast", what: "^C under a flood", floodMs: 600, limitMs: 20 },
  {
    id: "slow",
    what: "^C under a flood, viewer at 1 MB/s",
    rate: SLOW_BYTES,
    floodMs: 1_500,
    limitMs: 250,
  },
];

export async function interruptRows(bench: Bench): Promise<Row[]> {
  const chains = [...(await bench.pair()), ...bench.peers.chains];
  const rows: Row[] = [];
  for (const viewing of VIEWINGS) rows.push(await measure(bench, viewing, chains));
  return rows;
}

async function measure(bench: Bench, viewing: Viewing, chains: readonly Chain[]): Promise<Row> {
  const { id, what, rate, floodMs, limitMs } = viewing;
  const waits = new Map<string, Waited[]>(chains.map(({ name }) => [name, []]));
  const rounds = Math.max(1, Math.floor(bench.plan.rounds / 2));
  await turns(bench, rounds, chains, async (chain) => {
    // One that made somebody give up is not waited for again.
    if (waits.get(chain.name)?.some(({ gaveUp }) => gaveUp) === true) return;
    const answer = await bench.view("interrupt", chain, [INTERRUPTIBLE_PROGRAM], (of) => ({
      measure: "interrupt",
      of,
      times: bench.plan.interrupts,
      floodMs,
      patienceMs: bench.plan.patienceMs,
      ...compact({ rate }),
    }));
    if (answer.measure === "interrupt") waits.get(chain.name)?.push(...answer.milliseconds);
  });
  const figures = Object.fromEntries([...waits].map(([name, some]) => [name, toWaitFigure(some)]));
  const target = atMost(limitMs, figures["product"]?.value, `≤ ${limitMs} ms`);
  return { id: `interrupt-${id}`, what, unit: "ms", figures, target };
}

function toWaitFigure(waits: readonly Waited[]): Figure {
  const figure = toFigure(waits.map(({ ms }) => ms));
  return waits.some(({ gaveUp }) => gaveUp) ? { ...figure, more: true } : figure;
}
