// Owns how the results look in a terminal. Pure.

import type { Figure, Row, Section } from "./figures.ts";
import type { Results } from "./results.ts";
import type { Spread } from "./statistics.ts";

export function formatTable({ machine, mode, sections, notes }: Results): string {
  const chains = chainsIn(sections);
  const rows = sections.flatMap(({ rows: some }) =>
    some.filter(hasFigures).map((row) => listCells(row, chains)),
  );
  const head = ["measure", ...chains, "x bare", "target", ""];
  const { cores, node, loadBefore, loadAfter } = machine;
  return [
    `${mode} run; ${cores} cores, Node ${node}; load average ${loadBefore} before and ${loadAfter} after`,
    "",
    ...columns([head, ...rows]),
    "",
    ...notes,
    ...sections.flatMap(({ rows: some }) => some.flatMap(formatNote)),
    "",
  ].join("\n");
}

/** One line a row, every cell as wide as the widest of its column. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const getWidth = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => getWidth(column));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The product first, the bare chain next, then whoever else took part. */
export function chainsIn(sections: readonly Section[]): string[] {
  const names = sections.flatMap(({ rows }) => rows.flatMap(({ figures }) => Object.keys(figures)));
  const first = ["product", "bare"].filter((name) => names.includes(name));
  return [...new Set([...first, ...names])];
}

export function figureText({ value, more }: Figure): string {
  return `${more === true ? "> " : ""}${numberText(value)}`;
}

export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function spreadText({ median, least, most }: Spread): string {
  return `${median.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}

function listCells(row: Row, chains: readonly string[]): string[] {
  const { what, unit, figures, ratio, target } = row;
  const cells = chains.map((chain) => {
    const figure = figures[chain];
    return figure === undefined ? "" : figureText(figure);
  });
  return [
    `${what}, ${unit}`,
    ...cells,
    ratio === undefined ? "" : spreadText(ratio),
    target?.words ?? "",
    target === undefined ? "" : verdict(target.met),
  ];
}

export function verdict(met: boolean | undefined): string {
  if (met === undefined) return "-";
  return met ? "met" : "MISSED";
}

/** A process that no chain here has gives an empty row. */
export function hasFigures({ figures }: Row): boolean {
  return Object.keys(figures).length > 0;
}

function formatNote({ what, note }: Row): string[] {
  return note === undefined ? [] : [`${what}: ${note}`];
}
