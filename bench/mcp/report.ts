// Owns what the agents' calls come to, and how that looks in a terminal. Pure.

import { MCP_ADDED_AT_MOST_MS } from "../plan.ts";
import type { Spread } from "../statistics.ts";
import { percentile, spreadOf } from "../statistics.ts";
import { columns } from "../table.ts";
import { IN_PROCESS } from "./in-process.ts";
import type { McpRun, Timings } from "./measure.ts";
import type { Task } from "./side.ts";
import { TASKS } from "./side.ts";
import { THROUGH_RELAY } from "./through-relay.ts";

export interface McpReport {
  readonly tasks: readonly TaskReport[];
  /** About the peer. */
  readonly note: string;
  readonly addedAtMostMs: number;
  readonly met: boolean;
}

interface TaskReport {
  readonly task: Task;
  readonly sides: readonly SideReport[];
  /** To the same handler in-process: of all calls, and the range over the blocks. */
  readonly addedP50Ms: Spread;
}

interface SideReport {
  readonly side: string;
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

const HEAD = ["agent's call", "side", "p50", "p99", "added p50", "calls"] as const;

const WORDS: Readonly<Record<Task, string>> = {
  list: "list_terminals",
  read: "read_terminal, 20 KB",
  spawn: "spawn echo, read at exit",
};

export function mcpReportOf({ timings, note }: McpRun): McpReport {
  const tasks = TASKS.map((task) => reportTask(task, timings));
  const judged = tasks.filter(({ task }) => task !== "spawn");
  const met = judged.every(({ addedP50Ms }) => addedP50Ms.median <= MCP_ADDED_AT_MOST_MS);
  return { tasks, note, addedAtMostMs: MCP_ADDED_AT_MOST_MS, met };
}

function reportTask(task: Task, timings: Timings): TaskReport {
  const sides = [...timings[task]].map(([side, blocks]) => {
    const all = blocks.flat();
    const [p50, p99] = [percentile(all, 0.5), percentile(all, 0.99)];
    return { side, p50, p99, samples: all.length };
  });
  const p50s = (name: string) =>
    (timings[task].get(name) ?? []).map((block) => percentile(block, 0.5));
  const base = p50s(IN_PROCESS);
  const differences = p50s(THROUGH_RELAY).map((p50, block) => p50 - (base[block] ?? Number.NaN));
  const whole = (name: string) => sides.find(({ side }) => side === name)?.p50 ?? Number.NaN;
  const median = whole(THROUGH_RELAY) - whole(IN_PROCESS);
  return { task, sides, addedP50Ms: { ...spreadOf(differences), median } };
}

export function mcpTableOf({ tasks, note, addedAtMostMs, met }: McpReport): string {
  const rows = tasks.flatMap(({ task, sides, addedP50Ms }) =>
    sides.map(({ side, p50, p99, samples }) => [
      WORDS[task],
      side,
      `${p50.toFixed(2)} ms`,
      // Of a dozen, in blocks of three, neither this nor a range says much.
      task === "spawn" ? "-" : `${p99.toFixed(2)} ms`,
      side === THROUGH_RELAY ? `${added(task, addedP50Ms)} ms` : "",
      String(samples),
    ]),
  );
  return [
    ...columns([[...HEAD], ...rows]),
    "",
    "in-process is the same handler, called in the bench's own process with a pty host of its own.",
    note,
    `list and read at most ${addedAtMostMs} ms added p50: ${met ? "met" : "MISSED"}`,
    "",
  ].join("\n");
}

function added(task: Task, { median, least, most }: Spread): string {
  if (task === "spawn") return median.toFixed(2);
  return `${median.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}
