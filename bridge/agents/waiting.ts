// Owns waiting for something in a terminal, so that an agent need not poll: its exit, its silence,
// or a pattern in its output. Patterns run in linear time whoever wrote them.

import { RE2JS } from "re2js";

export const MOST_WAIT_MS = 55_000;
export const DEFAULT_WAIT_MS = 30_000;
const MOST_PATTERN = 1_000;

export interface Awaited {
  readonly exit?: boolean | undefined;
  readonly idleMs?: number | undefined;
  readonly pattern?: string | undefined;
  readonly regex?: boolean | undefined;
}

export type Matcher = (text: string) => boolean;

/** A sentence when the pattern cannot be used. */
export function compilePattern(pattern: string, regex: boolean): Matcher | string {
  if (pattern === "") return "The pattern is empty";
  if (pattern.length > MOST_PATTERN) return `The pattern is over ${MOST_PATTERN} characters`;
  if (!regex) return (text) => text.includes(pattern);
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.MULTILINE);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    return `The pattern is not a regular expression: ${error instanceof Error ? error.message : "unreadable"}`;
  }
}

export type WaitEnd = "exit" | "idle" | "pattern" | "timeout" | "cancelled";

/** What a wait looks at; all of it is told, nothing is polled. */
export interface Watched {
  readonly isOver: () => boolean;
  /** The text so far, for patterns. */
  readonly text: () => Promise<string>;
  /** Calls back on output and on the end; returns how to stop that. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function waitUntil(
  watched: Watched,
  wish: Awaited,
  matches: Matcher | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WaitEnd> {
  return new Promise((resolve) => {
    let looking = false;
    let again = false;
    let idle: NodeJS.Timeout | undefined;
    const timeout = setTimeout(() => finish("timeout"), timeoutMs);
    const unsubscribe = watched.subscribe(() => void look());
    const onAbort = () => finish("cancelled");
    signal.addEventListener("abort", onAbort);
    function finish(end: WaitEnd): void {
      clearTimeout(timeout);
      clearTimeout(idle);
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
      resolve(end);
    }
    async function look(): Promise<void> {
      if (idle !== undefined) idle.refresh();
      if (looking) {
        again = true;
        return;
      }
      looking = true;
      do {
        again = false;
        if (matches !== undefined && matches(await watched.text())) return finish("pattern");
        // Output that came with the end was looked at first.
        if (watched.isOver()) return finish("exit");
      } while (again);
      looking = false;
      return undefined;
    }
    if (signal.aborted) return finish("cancelled");
    if (wish.idleMs !== undefined) idle = setTimeout(() => finish("idle"), wish.idleMs);
    void look();
    return undefined;
  });
}
