// Owns the order of the agents' calls: sides take turns in blocks, so that what else the machine
// does falls on all of them. Spawns are three a minute, so the product is started anew for more.

import {
  MCP_BASH_CALLS,
  MCP_BASH_WARM_UP,
  MCP_BLOCKS,
  MCP_BLOCK_CALLS,
  MCP_HISTORY_BYTES,
  MCP_LAST_START_MS,
  MCP_SPAWNS_A_START,
  MCP_STARTS,
  MCP_WARM_UP,
} from "../plan.ts";
import { makeSample } from "../input-file.ts";
import { DESKTOP_COMMANDER, DesktopCommander, findDesktopCommander } from "./desktop-commander.ts";
import { InProcess } from "./in-process.ts";
import type { Side, Task } from "./side.ts";
import { ThroughRelay } from "./through-relay.ts";

const NO_PEER = `${DESKTOP_COMMANDER} is skipped: it is not installed (PAIRPTY_BENCH_PEERS=/folder).`;

/** Milliseconds by task, side and block. */
export type Timings = Readonly<Record<Task, Map<string, number[][]>>>;

export interface McpRun {
  readonly timings: Timings;
  readonly note: string;
}

export async function measureMcp(
  folder: string,
  peers: string | undefined,
  endings: (() => Promise<void> | void)[],
): Promise<McpRun> {
  const beganAt = performance.now();
  const { path: history } = makeSample(folder, MCP_HISTORY_BYTES);
  const inProcess = await InProcess.start(folder, history);
  endings.push(() => inProcess.stop());
  const file = findDesktopCommander(peers);
  const peer = file === undefined ? undefined : new DesktopCommander(file, folder);
  endings.push(() => peer?.stop());
  const others = peer === undefined ? [] : [await peer.side(history)];
  const timings: Timings = {
    list: new Map(),
    read: new Map(),
    bash: new Map(),
    spawn: new Map(),
  };
  for (let start = 0; start < MCP_STARTS; start++) {
    if (start > 0 && performance.now() - beganAt > MCP_LAST_START_MS) break;
    const relay = new ThroughRelay();
    endings.push(() => relay.stop());
    const sides = [await relay.start(history), inProcess.side(), ...others];
    // The others are warm from the first time.
    for (const side of start === 0 ? sides : sides.slice(0, 1)) await warmUp(side);
    if (start === 0) await measureCalls(sides, timings);
    await takeTurns(sides, "bash", 1, MCP_BASH_CALLS, timings);
    await takeTurns(sides, "spawn", MCP_SPAWNS_A_START, 1, timings);
    await relay.stop();
  }
  return { timings, note: peer?.note ?? NO_PEER };
}

async function warmUp(side: Side): Promise<void> {
  for (let i = 0; i < MCP_BASH_WARM_UP * side.portion; i++) await timed(side, "bash");
  for (const task of ["list", "read"] as const) {
    for (let i = 0; i < MCP_WARM_UP * side.portion; i++) await timed(side, task);
  }
}

async function measureCalls(sides: readonly Side[], timings: Timings): Promise<void> {
  for (let block = 0; block < MCP_BLOCKS; block++) {
    for (const task of ["list", "read"] as const) {
      await takeTurns(sides, task, 1, MCP_BLOCK_CALLS, timings);
    }
  }
}

/** One block for every side: so many turns, of so many calls on end. */
async function takeTurns(
  sides: readonly Side[],
  task: Task,
  turns: number,
  calls: number,
  timings: Timings,
): Promise<void> {
  const blocks = new Map<string, number[]>(sides.map(({ name }) => [name, []]));
  for (let turn = 0; turn < turns; turn++) {
    for (const side of sides) {
      for (let i = 0; i < calls * side.portion; i++)
        blocks.get(side.name)?.push(await timed(side, task));
    }
  }
  for (const [name, block] of blocks) {
    timings[task].set(name, [...(timings[task].get(name) ?? []), block]);
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
