// Owns the numbers of a run: how much is sent, how often, and what the targets are.

import { MiB } from "../protocol/limits.ts";

/** The machine is shared and noisy: chains take turns, and a ratio is taken within each turn. */
export const DEFAULT_ROUNDS = 5;

/** Per round and chain; five rounds give 600 behind the warm-up. */
export const ECHO_SAMPLES = 120;
export const ECHO_WARM_UP = 20;

/** Between keystrokes, and random within it: longer than a batch, so that each finds an idle terminal. */
export const ECHO_GAP_MS = { least: 8, most: 16 } as const;

export const BULK_BYTES = 50_000_000;

/** Before the first round, so that no chain is timed while its code is still being compiled. */
export const BULK_WARM_UP_BYTES = 8 * MiB;

/** A viewer that gets nothing for so long, and is owed bytes, gets nothing any more. */
export const SILENCE_MS = 5_000;

/** One measure. */
export const MEASURE_TIMEOUT_MS = 30_000;

/** How often a throughput whose viewer lost bytes is begun again in one round. */
export const BULK_TRIES = 4;

/** Of the run. On a machine that is busy with other things there are fewer rounds, not more time. */
export const LAST_ROUND_BEGINS_MS = 135_000;

/** The whole run, whatever happens. */
export const RUN_TIMEOUT_MS = 175_000;

/** From the issue; a miss is told, and is no failure of the run. */
export const TARGETS = { echoAtMost: 1.4, throughputAtLeast: 0.9 } as const;

/** Agents' calls: eight blocks give 400 of each kind and side, behind the warm-up. */
export const MCP_BLOCKS = 8;
export const MCP_BLOCK_CALLS = 50;
export const MCP_WARM_UP = 60;
export const MCP_HISTORY_BYTES = 20_000;

/** Three spawns a minute are all that agents get, so more of them take more products. */
export const MCP_SPAWNS_A_START = 3;
export const MCP_STARTS = 4;

/** Since the agents' part began: no more products after that. */
export const MCP_LAST_START_MS = 25_000;

/** From the issue, likewise. */
export const MCP_ADDED_AT_MOST_MS = 4;

/** Says when it is ready, then sends every byte back. */
export const ECHO_PROGRAM = ["/bin/sh", "-c", "stty raw -echo; printf R; exec cat"] as const;

/**
 * Says when it is ready, waits for one byte, prints the file. It stays behind the last byte:
 * node-pty may lose the end of what a program prints just before it exits.
 */
export function bulkProgram(file: string): readonly string[] {
  const script = 'stty raw -echo; printf R; head -c 1 >/dev/null; cat "$1"; exec sleep 60';
  return ["/bin/sh", "-c", script, "sh", file];
}

export const READY_MARK = "R";
