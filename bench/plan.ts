// Owns the numbers of a run: how much is sent, how often, and how long anybody waits.

import { MiB } from "../protocol/limits.ts";

/** The machine is shared and noisy: chains take turns, and a ratio is taken within each turn. */
export interface Plan {
  readonly rounds: number;
  /** Some of the others take a minute for what takes us a second. */
  readonly peerRounds: number;
  /** Beside the flood and through slow links, where every keystroke takes its time. */
  readonly keystrokes: number;
  readonly interrupts: number;
  readonly starts: number;
  /** A chain that needs longer for a ^C is told as "more than". */
  readonly patienceMs: number;
}

export const SHORT: Plan = {
  rounds: 3,
  peerRounds: 1,
  keystrokes: 120,
  interrupts: 3,
  starts: 3,
  patienceMs: 8_000,
};

export const FULL: Plan = {
  rounds: 9,
  peerRounds: 3,
  keystrokes: 240,
  interrupts: 8,
  starts: 6,
  patienceMs: 30_000,
};

export const ECHO_WARM_UP = 20;

/** Between keystrokes, and random within it: longer than a batch, so that each finds an idle terminal. */
export const ECHO_GAP_MS = { least: 8, most: 16 } as const;

export const BULK_BYTES = 50_000_000;

/** Before the first round, so that no chain is timed while its code is still being compiled. */
export const BULK_WARM_UP_BYTES = 8 * MiB;

/** No character of the mark is in it. */
export const BULK_LINE = "the quick brown fox jumps over the lazy dog and runs on to the end of it";

/** Said by every program when it is ready, and behind a ^C. */
export const READY_MARK = "<#READY#>";

/** A viewer that gets nothing for so long, and is owed bytes, gets nothing any more. */
export const SILENCE_MS = 5_000;

/** One measure, in whichever process. */
export const MEASURE_TIMEOUT_MS = 90_000;

/** How often a throughput whose viewer lost bytes is begun again in one round. */
export const BULK_TRIES = 4;

/** "Beside 5 MB/s". */
export const STEADY_BYTES = 5_000_000;
export const STEADY_EVERY_MS = 5;

/** A slow viewer, and the slow link. */
export const SLOW_BYTES = 1_000_000;
export const SLOW_RTT_MS = 80;

/** The whole run, whatever happens. */
export const SHORT_TIMEOUT_MS = 900_000;
export const FULL_TIMEOUT_MS = 2_400_000;

/** Agents' calls: eight blocks give 400 of each kind and side, behind the warm-up. */
export const MCP_BLOCKS = 8;
export const MCP_BLOCK_CALLS = 50;
export const MCP_WARM_UP = 60;
export const MCP_HISTORY_BYTES = 20_000;

/** Sixty commands a minute, the warm-up's among them. */
export const MCP_BASH_WARM_UP = 5;
export const MCP_BASH_BLOCKS = 4;
export const MCP_BASH_CALLS = 12;

/** Starts of a program at each level, one after the other. */
export const SANDBOX_WARM_UP = 5;
export const SANDBOX_STARTS = 60;
export const SANDBOX_ADDED_AT_MOST_MS = 30;

/** Sixty starts a minute are all that coding agents get. */
export const ACP_WARM_UP = 5;
export const ACP_BLOCKS = 8;
export const ACP_BLOCK = 6;

/** From the issue; a miss is told, and is no failure of the run. */
export const ACP_P50_AT_MOST_MS = 15;
export const MCP_ADDED_AT_MOST_MS = 4;
export const MCP_BASH_AT_MOST_MS = 25;

/** The page: one frame for a letter, and a second for a first visit. */
export const PAINT_AT_MOST_MS = 16;
export const PAGE_VISIT_AT_MOST_MS = 1_000;
export const FAR_ONE_WAY_MS = 80;
