// Owns the rows of a keystroke's way: idle, beside 5 MB/s and beside a flood in another terminal of
// the same viewer.

import type { Bench } from "../bench.ts";
import type { Chain } from "../chain.ts";
import type { Row, Rounds } from "../figures.ts";
import { all, atMost, summarize, p, getRatio } from "../figures.ts";
import { ECHO_WARM_UP, STEADY_BYTES, STEADY_EVERY_MS } from "../plan.ts";
import { ECHO_PROGRAM, FLOOD_PROGRAM, steadyProgram } from "../programs.ts";
import { PLAIN } from "../rendition.ts";
import { turns } from "./turns.ts";
import { compact } from "../../protocol/compact.ts";

interface Setting {
  readonly id: string;
  readonly what: string;
  readonly beside: readonly string[] | undefined;
  /** From the issue: p50 and p99 to bare, or p99 in ms. */
  readonly target: "ratios" | "ms";
}

const SETTINGS: readonly Setting[] = [
  { id: "idle", what: "echo", beside: undefined, target: "ratios" },
  {
    id: "steady",
    what: "echo beside 5 MB/s",
    beside: steadyProgram(STEADY_BYTES, STEADY_EVERY_MS),
    target: "ratios",
  },
  { id: "flood", what: "echo beside a flood", beside: FLOOD_PROGRAM, target: "ms" },
];

export async function echoRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  const [product, bare] = await bench.pair();
  const plain = [await plainChain(bench)];
  for (const setting of SETTINGS) {
    const own = setting.target === "ms" ? [product] : [product, bare];
    const others = setting.id === "idle" ? [...plain, ...bench.peers.chains] : [];
    rows.push(...(await measure(bench, setting, [...own, ...others])));
  }
  return rows;
}

async function plainChain(bench: Bench): Promise<Chain> {
  return (await bench.product()).seenBy({ name: "product, JSON", rendition: PLAIN });
}

async function measure(bench: Bench, setting: Setting, chains: readonly Chain[]): Promise<Row[]> {
  const { id, what, beside, target } = setting;
  const samples = new Map<string, number[][]>(chains.map(({ name }) => [name, []]));
  await turns(bench, bench.plan.rounds, chains, async (chain) => {
    const commands = [ECHO_PROGRAM, ...(beside === undefined ? [] : [beside])];
    const answer = await bench.view("echo", chain, commands, (of, noise) => ({
      measure: "echo",
      of,
      samples: ECHO_WARM_UP + bench.plan.keystrokes,
      ...compact({ beside: noise }),
    }));
    if (answer.measure !== "echo") return;
    samples.get(chain.name)?.push(answer.milliseconds.slice(ECHO_WARM_UP));
  });
  const at = (share: number): Rounds =>
    new Map([...samples].map(([name, rounds]) => [name, rounds.map((one) => p(share, one))]));
  const [p50, p99] = [at(0.5), at(0.99)];
  const [of50, of99] = [getRatio(p50), getRatio(p99)];
  const whole = p(0.99, (samples.get("product") ?? []).flat());
  return [
    {
      id: `echo-${id}-p50`,
      what: `${what}, p50`,
      unit: "ms",
      figures: summarize(p50),
      ...compact({ ratio: of50 }),
      ...(target === "ratios" ? { target: atMost(1.25, of50?.median, "≤ 1.25x bare") } : {}),
    },
    {
      id: `echo-${id}-p99`,
      what: `${what}, p99`,
      unit: "ms",
      figures: summarize(p99),
      ...compact({ ratio: of99 }),
      target:
        target === "ratios"
          ? atMost(2, of99?.median, "≤ 2x bare")
          : all(atMost(12, whole, "≤ 12 ms")),
    },
  ];
}
