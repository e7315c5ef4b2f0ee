// Owns waiting for something in a terminal, so that an agent need not poll: its exit, its silence,
// or a pattern in its output. Patterns run in linear time whoever wrote them.

import { setImmediate } from "node:timers/promises";
import { compileExpression, MOST_PATTERN } from "../patterns.ts";

export const MOST_WAIT_MS = 55_000;
export const DEFAULT_WAIT_MS = 30_000;

/**
 * Linear in the text, but times the size of the compiled expression: about 20 ns for each step and
 * character. With these two, one piece holds the bridge up for some 80 ms at the very worst.
 */
const MOST_STEPS = 200;
export const PIECE_CHARS = 16 << 10;
/** Pieces overlap by this much, so that a match on their edge is found. */
export const OVERLAP_CHARS = 4 << 10;

export interface Awaited {
  readonly exit?: boolean | undefined;
  readonly idleMs?: number | undefined;
  readonly pattern?: string | undefined;
  readonly regex?: boolean | undefined;
}

/** Milliseconds until silence ends the wait, by how long it has lasted and how long the wait has. */
export type Silence = (quietMs: number, waitedMs: number) => number;

export type Matcher = (text: string) => boolean;

/** A sentence when the pattern cannot be used. */
export function compilePattern(pattern: string, regex: boolean): Matcher | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MOST_PATTERN) return `The pattern is over ${MOST_PATTERN} characters`;
  if (!regex) return (text) => text.includes(pattern);
  const compiled = compileExpression(pattern, MOST_STEPS);
  return typeof compiled === "string" ? compiled : compiled.matches;
}

/** The short form of the same: a text, or an expression between slashes. */
export function compileShort(short: string): Matcher | string {
  const expression = /^\/(.+)\/$/s.exec(short)?.[1];
  return expression === undefined ? compilePattern(short, false) : compilePattern(expression, true);
}

export type WaitEnd = "exit" | "idle" | "pattern" | "timeout" | "cancelled";

/** What a wait looks at; all of it is told, nothing is polled. */
export interface Watched {
  readonly isOver: () => boolean;
  /** The text that has not been looked at yet, with a little of what was. */
  readonly text: () => Promise<string>;
  /** Calls back on output and on the end; returns how to stop that. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function waitUntil(
  watched: Watched,
  wish: Pick<Awaited, "idleMs"> & { readonly silence?: Silence | undefined },
  matches: Matcher | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WaitEnd> {
  return new Promise((resolve, reject) => {
    let ended = false;
    let looking = false;
    let again = false;
    let idle: NodeJS.Timeout | undefined;
    const beganAt = performance.now();
    let newsAt = beganAt;
    const silence = silenceOf(wish);
    const timeout = setTimeout(() => finish("timeout"), timeoutMs);
    const unsubscribe = watched.subscribe(() => void look().catch(fail));
    const onAbort = () => finish("cancelled");
    signal.addEventListener("abort", onAbort);
    const hasEnded = () => ended;
    function letGo(): void {
      ended = true;
      clearTimeout(timeout);
      clearTimeout(idle);
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
    }
    function finish(end: WaitEnd): void {
      letGo();
      resolve(end);
    }
    function fail(error: unknown): void {
      letGo();
      reject(error);
    }
    function listen(): void {
      if (silence === undefined) return;
      const now = performance.now();
      const leftMs = silence(now - newsAt, now - beganAt);
      if (leftMs <= 0) finish("idle");
      else idle = setTimeout(listen, Math.ceil(leftMs));
    }
    async function look(): Promise<void> {
      newsAt = performance.now();
      if (looking) {
        again = true;
        return;
      }
      looking = true;
      do {
        again = false;
        if (matches !== undefined) {
          const found = await matchesIn(await watched.text(), matches, hasEnded);
          if (found) return finish("pattern");
        }
        // Output that came with the end was looked at first.
        if (watched.isOver()) return finish("exit");
      } while (again && !hasEnded());
      looking = false;
      return undefined;
    }
    if (signal.aborted) return finish("cancelled");
    listen();
    void look().catch(fail);
    return undefined;
  });
}

function silenceOf({ idleMs, silence }: Parameters<typeof waitUntil>[1]): Silence | undefined {
  if (silence !== undefined || idleMs === undefined) return silence;
  return (quietMs) => idleMs - quietMs;
}

/** Piece by piece, with everybody else's turn in between, for as long as somebody waits. */
async function matchesIn(
  text: string,
  matches: Matcher,
  hasEnded: () => boolean,
): Promise<boolean> {
  for (let at = 0; at === 0 || at < text.length; at += PIECE_CHARS) {
    if (hasEnded()) return false;
    if (matches(text.slice(at, at + PIECE_CHARS + OVERLAP_CHARS))) return true;
    await setImmediate();
  }
  return false;
}
