// Owns the rows of agents' calls, as bench/mcp measures them.

import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { measureMcp } from "../mcp/measure.ts";
import { formatMcpReport, TASK_WORDS } from "../mcp/report.ts";
import { IN_PROCESS } from "../mcp/in-process.ts";
import { THROUGH_RELAY } from "../mcp/through-relay.ts";
import type { Task } from "../mcp/side.ts";
import { MCP_ADDED_AT_MOST_MS, MCP_BASH_AT_MOST_MS } from "../plan.ts";

/** In the table's columns: the handler without a relay stands where the bare chain does. */
const COLUMNS: Readonly<Record<string, string>> = {
  [THROUGH_RELAY]: "product",
  [IN_PROCESS]: "bare",
};

export async function agentRows(bench: Bench): Promise<Row[]> {
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const report = formatMcpReport(await measureMcp(bench.folder, bench.peersFolder, endings));
    return report.tasks.map(({ task, sides, addedP50Ms }) => {
      const added = addedP50Ms.median;
      return {
        id: `agents-${task}`,
        what: `agent: ${TASK_WORDS[task]}, p50`,
        unit: "ms",
        figures: Object.fromEntries(
          sides.map(({ side, p50, p99 }) => [COLUMNS[side] ?? side, { value: p50, most: p99 }]),
        ),
        ...getTarget(task, added, sides.find(({ side }) => side === THROUGH_RELAY)?.p50),
        ...(task === "list" ? { note: report.note } : {}),
      };
    });
  } finally {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
  }
}

/** A command's own time is in its figure; looking and reading are measured by what the relay adds. */
function getTarget(task: Task, added: number, p50 = Number.NaN): Pick<Row, "target"> {
  const most = MCP_ADDED_AT_MOST_MS;
  if (task === "spawn") return {};
  if (task === "bash") {
    return { target: atMost(MCP_BASH_AT_MOST_MS, p50, `≤ ${MCP_BASH_AT_MOST_MS} ms`) };
  }
  return { target: atMost(most, added, `≤ ${most} ms added: ${added.toFixed(1)}`) };
}
