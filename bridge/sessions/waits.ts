// Owns the waits of the tools: for the end of a command, for output that settles, for a text, for
// the first output. Every wait ends, and cleans up.

import type { Matcher } from "../reading/search.ts";
import type { WaitEnd } from "../reading/waiting.ts";
import { waitUntil } from "../reading/waiting.ts";
import type { ToolSettings } from "./backend.ts";
import { silenceFor } from "./intervals.ts";
import type { Live, RunLike } from "./live.ts";
import { NewText } from "./taking.ts";

/** A process that is being ended gets a little longer: the answer is about its end. */
const ENDING_MS = 4_000;
/** By then, a program that expects input has printed something or is ready. */
const FIRST_OUTPUT_MS = 1_000;

export function untilEnd(
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
export async function waitFor(
  live: Live,
  from: number,
  matches: Matcher | undefined,
  { intervals, answerMs }: Pick<ToolSettings, "intervals" | "answerMs">,
  beganAt: number,
  signal: AbortSignal,
): Promise<WaitEnd> {
  const left = answerMs === undefined ? intervals.maxMs : beganAt + answerMs - Date.now();
  const mostMs = Math.max(0, Math.min(intervals.maxMs, left));
  const silence = silenceFor(intervals, matches !== undefined);
  return await waitUntil(watchedFrom(live, from), { silence }, matches, mostMs, signal);
}

export async function untilFirstOutput(live: Live, signal: AbortSignal): Promise<void> {
  await waitUntil(watchedFrom(live, 0), {}, (text) => text !== "", FIRST_OUTPUT_MS, signal);
}

function watchedFrom(live: Live, from: number) {
  const text = new NewText(live, from);
  return {
    isOver: () => live.exit() !== undefined,
    text: () => text.next(),
    subscribe: (listener: () => void) => live.subscribe(listener),
  };
}
