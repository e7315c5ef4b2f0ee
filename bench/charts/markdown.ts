// Owns the tables in docs/performance.md: the rows of a run, with targets and whether they were met.
// Pure. The page has two marks; what lies between them is written anew.

import type { Row, Section } from "../figures.ts";
import type { Results } from "../results.ts";
import { chainsIn, figureText, hasFigures, numberText, spreadText } from "../table.ts";

const BEGIN = "<!-- figures -->";
const END = "<!-- /figures -->";

/** The page with the tables of these results in it; undefined when it has no marks. */
export function withFigures(page: string, results: Results): string | undefined {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) return undefined;
  return [page.slice(0, begin + BEGIN.length), ...readBody(results), page.slice(end)].join("\n");
}

function readBody({ mode, rounds, machine, sections, notes }: Results): string[] {
  const { cores, node, loadBefore, loadAfter } = machine;
  const load = `load average ${loadBefore} before and ${loadAfter} after, the bench's own included`;
  return [
    "",
    `A ${mode} run of ${rounds} rounds on ${cores} cores, Node ${node}; ${load}.`,
    "",
    ...sections.flatMap(formatTable),
    ...notes.map((note) => `- ${note}`),
    ...sections.flatMap(({ rows }) => rows.flatMap(formatNote)),
    "",
  ];
}

function formatTable(section: Section): string[] {
  const chains = chainsIn([section]);
  const columns = ["", ...chains, "x bare", "target", ""];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line([section.name, ...columns.slice(1)]),
    line(columns.map(() => "---")),
    ...section.rows.filter(hasFigures).map((row) => line(listCells(row, chains))),
    "",
  ];
}

function listCells(
  { what, unit, figures, ratio, target }: Row,
  chains: readonly string[],
): string[] {
  const values = chains.map((chain) => {
    const figure = figures[chain];
    if (figure === undefined) return "";
    const { least, most } = figure;
    const isRange = least !== undefined && most !== undefined && least !== most;
    const range = isRange ? ` (${numberText(least)}-${numberText(most)})` : "";
    return `${figureText(figure)}${range}`;
  });
  const met = target?.met === undefined ? "" : target.met ? "met" : "**missed**";
  return [
    `${what}, ${unit}`,
    ...values,
    ratio === undefined ? "" : spreadText(ratio),
    target?.words ?? "",
    met,
  ];
}

function formatNote({ what, note }: Row): string[] {
  return note === undefined ? [] : [`- ${what}: ${note}`];
}
