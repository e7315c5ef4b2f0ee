// Owns the rows of agents' calls, as bench/mcp measures them.

import type { Bench } from "../bench.ts";
import type { Row, Target } from "../figures.ts";
import { atMost } from "../figures.ts";
import { measureMcp } from "../mcp/measure.ts";
import { reportTask, TASK_WORDS } from "../mcp/report.ts";
import { IN_PROCESS } from "../mcp/in-process.ts";
import { THROUGH_RELAY } from "../mcp/through-relay.ts";
import type { Task } from "../mcp/side.ts";
import { TASKS } from "../mcp/side.ts";
import { MCP_ADDED_AT_MOST_MS, MCP_BASH_AT_MOST_MS } from "../plan.ts";

/** In the table's columns: the handler without a relay stands where the bare chain does. */
const COLUMNS: Readonly<Record<string, string>> = {
  [THROUGH_RELAY]: "product",
  [IN_PROCESS]: "bare",
};

export async function agentRows(bench: Bench): Promise<Row[]> {
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const timings = await measureMcp(bench.folder, endings);
    return TASKS.map((task) => {
      const { sides, addedP50Ms } = reportTask(task, timings);
      const added = addedP50Ms.median;
      return {
        id: `agents-${task}`,
        what: `agent: ${TASK_WORDS[task]}, p50`,
        unit: "ms",
        figures: Object.fromEntries(
          sides.map(({ side, p50, p99 }) => [COLUMNS[side] ?? side, { value: p50, most: p99 }]),
        ),
        target: getTarget(task, added, sides.find(({ side }) => side === THROUGH_RELAY)?.p50),
      };
    });
  } finally {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
  }
}

/** A command's own time is in its figure; looking and reading are measured by what the relay adds. */
function getTarget(task: Task, added: number, p50 = Number.NaN): Target {
  const most = MCP_ADDED_AT_MOST_MS;
  if (task === "bash") {
    return atMost(MCP_BASH_AT_MOST_MS, p50, `≤ ${MCP_BASH_AT_MOST_MS} ms`);
  }
  return atMost(most, added, `≤ ${most} ms added: ${added.toFixed(1)}`);
}
