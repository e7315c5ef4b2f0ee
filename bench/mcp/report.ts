// Owns what the agents' calls come to. Pure.

import type { Spread } from "../statistics.ts";
import { percentile, getSpread } from "../statistics.ts";
import { IN_PROCESS } from "./in-process.ts";
import type { Timings } from "./measure.ts";
import type { Task } from "./side.ts";
import { THROUGH_RELAY } from "./through-relay.ts";

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

export const TASK_WORDS: Readonly<Record<Task, string>> = {
  list: "list_terminals",
  read: "read_terminal, 20 KB",
  bash: "bash echo",
};

export function reportTask(task: Task, timings: Timings): TaskReport {
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
  return { task, sides, addedP50Ms: { ...getSpread(differences), median } };
}
