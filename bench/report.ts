// Owns what the rounds come to: figures for each chain, and its ratios to the bare one. Pure.

import { TARGETS } from "./plan.ts";
import type { Measured, Rounds } from "./rounds.ts";
import type { Spread } from "./statistics.ts";
import { percentile, spreadOf } from "./statistics.ts";

export interface ChainReport {
  readonly chain: string;
  /** Of all samples of all rounds. */
  readonly echoMs: { readonly p50: number; readonly p99: number; readonly samples: number };
  readonly megabytesPerSecond: Spread;
  readonly messages: number;
  /** Throughputs begun, and those that had to begin again because the viewer lost bytes. */
  readonly tries: { readonly all: number; readonly skipped: number; readonly stuck: number };
  /** Medians, while the throughput was measured. */
  readonly processorMs: Readonly<Record<string, number>>;
  /** To the bare chain in the same round. */
  readonly ratios: { readonly echoP50: Spread; readonly throughput: Spread };
}

export interface Report {
  readonly rounds: number;
  readonly chains: readonly ChainReport[];
  readonly targets: typeof TARGETS;
  readonly met: { readonly echo: boolean; readonly throughput: boolean };
}

/** A target is met when every product chain that gave a figure meets it. */
export function reportOf(rounds: Rounds, products: readonly string[], bare: string): Report {
  const baseline = rounds.get(bare) ?? [];
  const chains = [...rounds].map(([chain, measured]) => reportChain(chain, measured, baseline));
  const judged = chains.filter(({ chain }) => products.includes(chain)).map(({ ratios }) => ratios);
  return {
    rounds: baseline.length,
    chains,
    targets: TARGETS,
    met: {
      echo: medians(judged, "echoP50").every((ratio) => ratio <= TARGETS.echoAtMost),
      throughput: medians(judged, "throughput").every((one) => one >= TARGETS.throughputAtLeast),
    },
  };
}

function medians(ratios: readonly ChainReport["ratios"][], of: keyof ChainReport["ratios"]) {
  return ratios.map((one) => one[of].median).filter(Number.isFinite);
}

function reportChain(chain: string, measured: Measured[], baseline: Measured[]): ChainReport {
  const echoes = measured.flatMap(({ echoMs }) => echoMs);
  const bulks = measured.flatMap(({ bulk }) => bulk ?? []);
  const losses = measured.flatMap((one) => one.losses);
  const speed = ({ bulk }: Measured) => bulk?.megabytesPerSecond;
  const p50 = ({ echoMs }: Measured) => percentile(echoMs, 0.5);
  return {
    chain,
    echoMs: {
      p50: percentile(echoes, 0.5),
      p99: percentile(echoes, 0.99),
      samples: echoes.length,
    },
    megabytesPerSecond: spreadOf(bulks.map((bulk) => bulk.megabytesPerSecond)),
    messages: percentile(
      bulks.map(({ messages }) => messages),
      0.5,
    ),
    tries: {
      all: bulks.length + losses.length,
      skipped: losses.filter((loss) => loss === "skipped").length,
      stuck: losses.filter((loss) => loss === "stuck").length,
    },
    processorMs: mediansOf(bulks.map(({ processorMs }) => processorMs)),
    ratios: {
      echoP50: spreadOf(ratiosOf(measured, baseline, p50)),
      throughput: spreadOf(ratiosOf(measured, baseline, speed)),
    },
  };
}

function ratiosOf(
  measured: Measured[],
  baseline: Measured[],
  figure: (one: Measured) => number | undefined,
): number[] {
  return baseline.flatMap((bare, round) => {
    const one = measured[round];
    const [over, under] = [one && figure(one), figure(bare)];
    return over === undefined || under === undefined ? [] : [over / under];
  });
}

function mediansOf(records: Readonly<Record<string, number>>[]): Record<string, number> {
  const names = Object.keys(records[0] ?? {});
  const median = (name: string) =>
    percentile(
      records.map((record) => record[name] ?? 0),
      0.5,
    );
  return Object.fromEntries(names.map((name) => [name, median(name)]));
}
