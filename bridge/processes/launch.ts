// Owns starting a program of ours that outlives this process, and waiting until it answers.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readLogLines } from "../logs/line.ts";

const LOOK_EVERY_MS = 15;
const LOG_TAIL_LINES = 6;

/** Detached: it gets no signal of our terminal, and its output goes to a log of its own. */
export function launch(
  script: string,
  args: string[],
  log: string,
  environment: NodeJS.ProcessEnv = forLocal(process.env),
  /** ignore: what it prints on purpose goes to its log by itself. pipe: its first words are for us. */
  stdout: "ignore" | "pipe" = "ignore",
): ChildProcess {
  const fd = openSync(log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [script, ...args], {
      detached: true,
      // A folder that is always there: the workspace may be moved or removed meanwhile.
      cwd: "/",
      env: environment,
      // The log is for its last words.
      stdio: ["ignore", stdout, fd],
    });
    child.unref();
    return child;
  } finally {
    closeSync(fd);
  }
}

export function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith("PAIRPTY_"));
  return Object.fromEntries(others);
}

/**
 * For programs of ours that speak to this machine alone: to read every
 * certificate takes Node longer than the rest of its start.
 */
export function forLocal(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _read, ...rest } = withoutOurs(environment);
  return rest;
}

/** Tries until it succeeds, the program ends, or the time is over. */
export async function waitFor<T>(
  attempt: () => Promise<T>,
  child: ChildProcess,
  log: string,
  milliseconds: number,
): Promise<T> {
  const ends: string[] = [];
  child.once("exit", (code, signal) => ends.push(`it ended with ${signal ?? code}`));
  child.once("error", (error) => ends.push(error.message));
  const until = Date.now() + milliseconds;
  while (ends.length === 0 && Date.now() < until) {
    try {
      return await attempt();
    } catch {
      await delay(LOOK_EVERY_MS);
    }
  }
  throw new Error(`${ends[0] ?? "it did not answer in time"}\n${tailOf(log)}`.trim());
}

function tailOf(log: string): string {
  try {
    const lines = readLogLines(readFileSync(log, "utf8"), "bridge");
    return lines
      .slice(-LOG_TAIL_LINES)
      .map(({ text }) => text)
      .join("\n");
  } catch {
    return "";
  }
}
