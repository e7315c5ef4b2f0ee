// Owns the waits of the tools: for the end of a command, for output that settles, for a text, for
// the first output. Every wait ends, and cleans up. Also owns how long a call waits for a session's
// output: at least `min`, until nothing was printed for `settle`, at most `max`. Pure;
// milliseconds, with the caller's clock.

import type { Matcher } from "../reading/pattern-search.ts";
import type { WaitEnd, Silence } from "../reading/wait-until.ts";
import { waitUntil } from "../reading/wait-until.ts";
import { NewText } from "./session-output.ts";
import type { SessionTarget, RunLike } from "./session-target.ts";
import type { ToolSettings } from "./tool-backend.ts";

/** A process that is being ended gets a little longer: the answer is about its end. */
const ENDING_MS = 4_000;
/** After this time, a program that expects input has printed something or is ready. */
const FIRST_OUTPUT_MS = 1_000;

export function waitForEnd(
  run: Pick<RunLike, "life" | "finished">,
  deadline: number | undefined,
  signal: AbortSignal,
): Promise<"ended" | "late" | "cancelled"> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: "ended" | "late" | "cancelled") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      resolve(end);
    };
    const cancel = () => finish("cancelled");
    const beLate = () => {
      if (run.life.state === "running") return finish("late");
      timer = setTimeout(() => finish("late"), ENDING_MS);
      return undefined;
    };
    if (signal.aborted) return cancel();
    signal.addEventListener("abort", cancel);
    if (deadline !== undefined) timer = setTimeout(beLate, Math.max(0, deadline - Date.now()));
    void run.finished.then(() => finish("ended"));
    return undefined;
  });
}

/** Waits by the three intervals, or for a text from `from` on; the call began at `beganAt`. */
export async function waitForOutput(
  target: SessionTarget,
  from: number,
  matches: Matcher | undefined,
  { intervals, answerMs }: Pick<ToolSettings, "intervals" | "answerMs">,
  beganAt: number,
  signal: AbortSignal,
): Promise<WaitEnd> {
  const left = answerMs === undefined ? intervals.maxMs : beganAt + answerMs - Date.now();
  const maxMs = Math.max(0, Math.min(intervals.maxMs, left));
  const silence = getSilence(intervals, matches !== undefined);
  return await waitUntil(watchFrom(target, from), { silence }, matches, maxMs, signal);
}

export async function waitForFirstOutput(
  target: SessionTarget,
  signal: AbortSignal,
): Promise<void> {
  await waitUntil(watchFrom(target, 0), {}, (text) => text !== "", FIRST_OUTPUT_MS, signal);
}

function watchFrom(target: SessionTarget, from: number) {
  const text = new NewText(target, from);
  return {
    isOver: () => target.exit() !== undefined,
    text: () => text.next(),
    subscribe: (listener: () => void) => target.subscribe(listener),
  };
}

export interface Intervals {
  readonly minMs: number;
  readonly settleMs: number;
  readonly maxMs: number;
}

/** The defaults of the configuration. */
export const DEFAULT_INTERVALS: Intervals = { minMs: 1_000, settleMs: 2_000, maxMs: 30_000 };

/** Returns when silence ends the wait; undefined if the call waits for a text. */
export function getSilence(
  { minMs, settleMs }: Intervals,
  waitsForText: boolean,
): Silence | undefined {
  if (waitsForText) return undefined;
  return (quietMs, waitedMs) => Math.max(minMs - waitedMs, settleMs - quietMs);
}

/** Returns the intervals in seconds, for answers. */
export function toSeconds({ settleMs, maxMs }: Intervals): {
  readonly settleSeconds: number;
  readonly maxSeconds: number;
} {
  return { settleSeconds: settleMs / 1_000, maxSeconds: maxMs / 1_000 };
}
