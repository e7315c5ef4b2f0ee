// Owns the README's chart: a few rows of a run as bars, the product beside whoever took part. Pure.

import type { Figure, Row } from "../figures.ts";
import type { Results } from "../results.ts";
import { figureText } from "../table.ts";
import { bar, findKind, svg, text } from "./svg.ts";

interface Panel {
  readonly row: string;
  readonly title: string;
}

const PANELS: readonly Panel[] = [
  { row: "throughput", title: "50 MB cat, MB/s (more is better)" },
  { row: "echo-idle-p50", title: "keystroke and back, ms (less is better)" },
  { row: "interrupt-slow", title: "^C under a flood, viewer at 1 MB/s, ms (less is better)" },
];

const NAMES: Readonly<Record<string, string>> = {
  product: "pairpty, through its relay",
  bare: "bare chain, through a relay",
};
const LEFT_OUT = new Set(["product, JSON"]);

const WIDTH = 720;
const LABELS = 190;
const VALUES = 80;
const BAR = 16;
const STEP = 22;
const HEAD = 26;
const GAP = 14;

export function comparisonChart({ sections, machine }: Results): string {
  const rows = sections.flatMap((section) => section.rows);
  const body: string[] = [];
  let y = 0;
  for (const { row: id, title } of PANELS) {
    const row = rows.find((one) => one.id === id);
    if (row === undefined) continue;
    body.push(text(0, y + 16, title, { kind: "title" }));
    y = panel(body, row, y + HEAD) + GAP;
  }
  const foot = `${machine.cores} cores, load average ${machine.loadBefore}; all in one run of npm run bench; the others have no relay`;
  body.push(text(0, y + 6, foot));
  return svg(WIDTH, y + 16, "pairpty beside other terminal servers", body);
}

function panel(body: string[], { figures }: Row, top: number): number {
  const chains = Object.entries(figures).filter(([name]) => !LEFT_OUT.has(name));
  const most = Math.max(...chains.map(([, { value }]) => value));
  let y = top;
  for (const [name, figure] of chains) {
    const width = ((WIDTH - LABELS - VALUES) * figure.value) / most;
    body.push(text(LABELS - 8, y + 12, NAMES[name] ?? name, { anchor: "end" }));
    body.push(bar(LABELS, y, width, BAR, findKind(name)));
    body.push(text(LABELS + width + 6, y + 12, formatValue(figure), { kind: "value" }));
    y += STEP;
  }
  return y;
}

function formatValue(figure: Figure): string {
  return figureText(figure);
}
