// Owns the plots of growth: each figure that was taken at several counts, over that count. Pure.

import type { Row } from "../figures.ts";
import type { Results } from "../results.ts";
import { numberText } from "../table.ts";
import { findKind, path, rule, svg, text } from "./svg.ts";

interface Plot {
  /** What its rows' ids begin with. */
  readonly rows: string;
  readonly title: string;
}

type CountOf = "viewers" | "terminals";

const PLOTS: Readonly<Record<CountOf, readonly Plot[]>> = {
  viewers: [
    { rows: "viewers-megabytes-", title: "all viewers together, MB/s" },
    { rows: "viewers-last-", title: "the last has a keystroke, p50 ms" },
    { rows: "viewers-upload-", title: "bridge writes per byte printed" },
  ],
  terminals: [
    { rows: "terminals-rss-", title: "bridge and pty host, MB each" },
    { rows: "terminals-echo-", title: "echo p50 beside them, ms" },
  ],
};

const WIDTH = 360;
const HEIGHT = 190;
const MARGIN = { left: 48, right: 16, top: 34, bottom: 40 } as const;
const PER_LINE = 2;

export function growthChart(of: CountOf, { sections }: Results): string {
  const rows = sections.flatMap((section) => section.rows).filter((row) => row.at?.of === of);
  const plots = PLOTS[of];
  const body = plots.map(({ rows: prefix, title }, index) => {
    const [x, y] = [(index % PER_LINE) * WIDTH, Math.floor(index / PER_LINE) * HEIGHT];
    const own = rows.filter(({ id }) => id.startsWith(prefix));
    return `<g transform="translate(${x} ${y})">\n${plot(own, title, of)}\n</g>`;
  });
  const height = Math.ceil(plots.length / PER_LINE) * HEIGHT;
  return svg(PER_LINE * WIDTH, height, `how figures grow with ${of}`, body);
}

function plot(rows: readonly Row[], title: string, of: CountOf): string {
  const counts = rows.map(({ at }) => at?.count ?? 1);
  const values = rows.flatMap(({ figures }) => Object.values(figures).map(({ value }) => value));
  const top = Math.max(0.001, ...values) * 1.1;
  const x = (count: number) =>
    MARGIN.left +
    ((WIDTH - MARGIN.left - MARGIN.right) * Math.log10(count)) /
      Math.max(1, Math.log10(Math.max(...counts)));
  const y = (value: number) =>
    HEIGHT - MARGIN.bottom - ((HEIGHT - MARGIN.top - MARGIN.bottom) * Math.max(0, value)) / top;
  const chains = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const lines = chains.map((chain) => {
    const points = rows.flatMap(({ at, figures }) => {
      const figure = figures[chain];
      return at === undefined || figure === undefined
        ? []
        : [[x(at.count), y(figure.value)] as const];
    });
    return path(points, findKind(chain));
  });
  const levels = [0, top / 2, top].flatMap((value) => [
    rule(MARGIN.left, y(value), WIDTH - MARGIN.right, y(value)),
    text(MARGIN.left - 6, y(value) + 4, numberText(value), { anchor: "end" }),
  ]);
  const marks = counts.map((count) =>
    text(x(count), HEIGHT - MARGIN.bottom + 16, String(count), { anchor: "middle" }),
  );
  const legend = chains.map((chain, index) =>
    text(MARGIN.left + index * 70, HEIGHT - 6, `● ${chain}`, { kind: findKind(chain) }),
  );
  return [
    text(0, 16, title, { kind: "title" }),
    ...levels,
    ...marks,
    text(WIDTH - MARGIN.right, HEIGHT - 6, of, { anchor: "end" }),
    ...lines,
    ...legend,
  ].join("\n");
}
