// Owns waiting for an event in a terminal, so that an agent need not poll: its exit, silence, or a
// pattern in its output. Patterns run in linear time.

import { compileExpression, MAX_PATTERN_CHARS } from "../patterns.ts";
import type { Matcher } from "./pattern-search.ts";
import { PatternSearch } from "./pattern-search.ts";

export const MAX_WAIT_MS = 55_000;
export const DEFAULT_WAIT_MS = 30_000;

/** A match is linear in the text, times the size of the compiled expression (pattern-search.ts). */
const MAX_STEPS = 200;

export interface WaitCondition {
  readonly exit?: boolean | undefined;
  readonly idleMs?: number | undefined;
  readonly pattern?: string | undefined;
  readonly regex?: boolean | undefined;
}

/** Returns the milliseconds until silence ends the wait. */
export type Silence = (quietMs: number, waitedMs: number) => number;

/**
 * Compiles a text or, between slashes or with `regex`, an expression; with `regex: false` slashes
 * are text. Returns an error message if the pattern is invalid.
 */
export function compilePattern(pattern: string, regex?: boolean): Matcher | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MAX_PATTERN_CHARS)
    return `The pattern is over ${MAX_PATTERN_CHARS} characters`;
  const between = regex === false ? undefined : /^\/(.+)\/$/s.exec(pattern)?.[1];
  if (between === undefined && regex !== true) return (text) => text.includes(pattern);
  const compiled = compileExpression(between ?? pattern, MAX_STEPS);
  if (typeof compiled === "string") return compiled;
  const { steps, matches } = compiled;
  return Object.assign((text: string) => matches(text), { steps });
}

export const WAIT_ENDS = ["exit", "idle", "pattern", "timeout", "cancelled"] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

/** The target of a wait; it notifies, so nothing is polled. */
export interface WaitTarget {
  readonly isOver: () => boolean;
  /** Returns text that was not searched yet, with some overlap. */
  readonly text: () => Promise<string>;
  /** Calls `listener` on output and on the exit; returns the unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function waitUntil(
  target: WaitTarget,
  options: Pick<WaitCondition, "idleMs"> & { readonly silence?: Silence | undefined },
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
    const silence = toSilence(options);
    const timeout = setTimeout(() => finish("timeout"), timeoutMs);
    const unsubscribe = target.subscribe(() => void look().catch(fail));
    const onAbort = () => finish("cancelled");
    signal.addEventListener("abort", onAbort);
    const hasEnded = () => ended;
    const search = matches === undefined ? undefined : new PatternSearch(matches, hasEnded);
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
        if (search !== undefined && (await search.search(await target.text()))) {
          return finish("pattern");
        }
        // Output that came with the exit was searched first.
        if (target.isOver()) return finish("exit");
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

function toSilence({ idleMs, silence }: Parameters<typeof waitUntil>[1]): Silence | undefined {
  if (silence !== undefined || idleMs === undefined) return silence;
  return (quietMs) => idleMs - quietMs;
}
