// Owns how a report looks in a terminal. Pure.

import type { ChainReport, Report } from "./report.ts";
import type { Spread } from "./statistics.ts";

const HEAD = [
  "chain",
  "echo p50",
  "p99",
  "ratio of p50",
  "MB/s",
  "ratio",
  "messages",
  "tries",
  "CPU ms",
] as const;

export function tableOf(report: Report): string {
  const lines = columns([[...HEAD], ...report.chains.map(rowOf)]);
  return [...lines, "", ...notesOf(report), ""].join("\n");
}

/** One line a row, every cell as wide as the widest of its column. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function rowOf({ chain, ...figures }: ChainReport): string[] {
  const { echoMs, megabytesPerSecond, messages, tries, processorMs, ratios } = figures;
  const sum = Object.values(processorMs).reduce((total, one) => total + one, 0);
  const parts = Object.entries(processorMs).map(([name, value]) => `${name} ${value}`);
  return [
    chain,
    `${echoMs.p50.toFixed(2)} ms`,
    `${echoMs.p99.toFixed(2)} ms`,
    spread(ratios.echoP50, 2),
    spread(megabytesPerSecond, 0),
    spread(ratios.throughput, 2),
    String(messages),
    triesOf(tries),
    `${sum} = ${parts.join(" + ")}`,
  ];
}

function triesOf({ all, skipped, stuck }: ChainReport["tries"]): string {
  const losses = [skipped > 0 ? `${skipped} skipped` : "", stuck > 0 ? `${stuck} stuck` : ""];
  return [String(all), ...losses.filter((loss) => loss !== "")].join(", ");
}

function notesOf({ rounds, chains, targets, met }: Report): string[] {
  const samples = chains[0]?.echoMs.samples ?? 0;
  return [
    `${rounds} rounds, ${samples} keystrokes a chain; medians, with the range over the rounds.`,
    "product and bare send the same JSON messages, batched by the same rule; every byte was checked.",
    "skipped: the viewer fell 1 MiB behind its acks and was given a new start; tried again.",
    "stuck: the viewer got nothing any more though it was owed bytes; tried again.",
    `echo p50 at most ${targets.echoAtMost}x bare: ${verdict(met.echo)}`,
    `throughput at least ${targets.throughputAtLeast}x bare: ${verdict(met.throughput)}`,
  ];
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "MISSED";
}

function spread({ median, least, most }: Spread, digits: number): string {
  if (!Number.isFinite(median)) return "-";
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`;
}
