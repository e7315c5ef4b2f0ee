// Owns the order of the agents' calls: sides take turns in blocks, so that what else the machine
// does falls on all of them.

import {
  MCP_BASH_CALLS,
  MCP_BASH_WARM_UP,
  MCP_BLOCKS,
  MCP_BLOCK_CALLS,
  MCP_BASH_BLOCKS,
  MCP_HISTORY_BYTES,
  MCP_WARM_UP,
} from "../plan.ts";
import { makeSample } from "../input-file.ts";
import { InProcess } from "./in-process.ts";
import type { Side, Task } from "./side.ts";
import { ThroughRelay } from "./through-relay.ts";

/** Milliseconds by task, side and block. */
export type Timings = Readonly<Record<Task, Map<string, number[][]>>>;

export async function measureMcp(
  folder: string,
  endings: (() => Promise<void> | void)[],
): Promise<Timings> {
  const { path: history } = makeSample(folder, MCP_HISTORY_BYTES);
  const inProcess = await InProcess.start(folder, history);
  endings.push(() => inProcess.stop());
  const timings: Timings = { list: new Map(), read: new Map(), bash: new Map() };
  const relay = new ThroughRelay();
  endings.push(() => relay.stop());
  const sides = [await relay.start(history), inProcess.side()];
  for (const side of sides) await warmUp(side);
  for (let block = 0; block < MCP_BLOCKS; block++) {
    for (const task of ["list", "read"] as const) {
      await takeTurns(sides, task, MCP_BLOCK_CALLS, timings);
    }
  }
  for (let block = 0; block < MCP_BASH_BLOCKS; block++) {
    await takeTurns(sides, "bash", MCP_BASH_CALLS, timings);
  }
  return timings;
}

async function warmUp(side: Side): Promise<void> {
  for (let i = 0; i < MCP_BASH_WARM_UP; i++) await timed(side, "bash");
  for (const task of ["list", "read"] as const) {
    for (let i = 0; i < MCP_WARM_UP; i++) await timed(side, task);
  }
}

/** One block of calls for every side. */
async function takeTurns(
  sides: readonly Side[],
  task: Task,
  calls: number,
  timings: Timings,
): Promise<void> {
  for (const side of sides) {
    const block: number[] = [];
    for (let i = 0; i < calls; i++) block.push(await timed(side, task));
    timings[task].set(side.name, [...(timings[task].get(side.name) ?? []), block]);
  }
}

async function timed({ name, calls, marks }: Side, task: Task): Promise<number> {
  const calledAt = performance.now();
  const text = await calls[task]();
  const milliseconds = performance.now() - calledAt;
  if (!text.includes(marks[task])) throw new Error(`${name}, ${task}: ${text.slice(0, 300)}`);
  if (task === "read" && text.length < MCP_HISTORY_BYTES)
    throw new Error(`${name}: history is cut`);
  return milliseconds;
}
