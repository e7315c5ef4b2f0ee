// Owns starting a program of ours that outlives this process, and waiting until it answers.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseLogLines } from "../logs/log-line.ts";

const POLL_MS = 15;
const LOG_TAIL_LINES = 6;

/** Starts a detached program: it gets no signals of our terminal, and its errors go to a log file. */
export function launch(
  script: string,
  args: string[],
  log: string,
  environment: NodeJS.ProcessEnv = toLocalEnvironment(process.env),
  /** ignore: it writes to its log itself. pipe: this process reads its first output. */
  stdout: "ignore" | "pipe" = "ignore",
): ChildProcess {
  const fd = openSync(log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [script, ...args], {
      detached: true,
      // A folder that always exists: the workspace may be moved or removed meanwhile.
      cwd: "/",
      env: environment,
      // Only for output after a crash.
      stdio: ["ignore", stdout, fd],
    });
    child.unref();
    return child;
  } finally {
    closeSync(fd);
  }
}

export function withoutPairptyVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith("PAIRPTY_"));
  return Object.fromEntries(others);
}

/**
 * Returns the environment for programs of ours that talk only to this machine: reading extra
 * certificates takes Node longer than the rest of its start.
 */
export function toLocalEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _read, ...rest } = withoutPairptyVariables(environment);
  return rest;
}

/** Retries until an attempt succeeds; throws if the program ends or the time is over. */
export async function waitForAnswer<T>(
  attempt: () => Promise<T>,
  child: ChildProcess,
  log: string,
  milliseconds: number,
): Promise<T> {
  const ends: string[] = [];
  child.once("exit", (code, signal) => ends.push(`it exited with ${signal ?? code}`));
  child.once("error", (error) => ends.push(error.message));
  const until = Date.now() + milliseconds;
  while (ends.length === 0 && Date.now() < until) {
    try {
      return await attempt();
    } catch {
      await delay(POLL_MS);
    }
  }
  throw new Error(`${ends[0] ?? "it did not answer in time"}\n${readTail(log)}`.trim());
}

function readTail(log: string): string {
  try {
    const lines = parseLogLines(readFileSync(log, "utf8"), "bridge");
    return lines
      .slice(-LOG_TAIL_LINES)
      .map(({ text }) => text)
      .join("\n");
  } catch {
    return "";
  }
}
