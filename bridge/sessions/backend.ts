// Owns the port that the session tools (seed 004) need: starting something, what may be typed, the
// settings; and the tools' arguments. Agents over MCP have one backend, programs that use the
// library another.

import type { Isolation } from "../../protocol/isolation.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { Input } from "../terminals/plan.ts";
import type { Session } from "./book.ts";
import type { Intervals } from "./intervals.ts";
import type { Typed } from "./keys.ts";
import type { Live, RunLike, TypingPermit } from "./live.ts";

/** An MCP call answers within this time, whatever it waits for. */
export const ANSWER_MS = 50_000;
export interface ToolSettings {
  readonly cropOutput: number;
  readonly timeoutSeconds: number;
  readonly intervals: Intervals;
  /** Undefined where nobody minds how long a call takes. */
  readonly answerMs: number | undefined;
}

/** Of the seed's own settings, whose times are in seconds. */
export function settingsOf(
  { bash, persistent }: Pick<AgentDefaults, "bash" | "persistent">,
  answerMs: number | undefined,
): ToolSettings {
  const { cropOutput, timeoutSeconds } = bash;
  const intervals = {
    minMs: persistent.minInterval * 1_000,
    settleMs: persistent.settleInterval * 1_000,
    maxMs: persistent.maxInterval * 1_000,
  };
  return { cropOutput, timeoutSeconds, intervals, answerMs };
}

/** What runs, and where. */
export interface LineWish {
  readonly line: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly isolation?: Isolation | undefined;
}

export interface Opened {
  readonly live: Live;
  /** Of the session, from its book. */
  readonly number: number;
  readonly startedAt: number;
}

/** `Who` asks: a caller of the bridge, an agent of the library. */
export interface ToolBackend<Who> {
  ownerOf(who: Who): string;
  /** What sessions that are started by it end with, beside their owner. */
  throughOf(who: Who): object | undefined;
  settings(who: Who): ToolSettings;
  /** Judged, asked about and started; or why not. */
  run(
    who: Who,
    wish: LineWish & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<RunLike>>;
  open(who: Who, wish: LineWish, signal: AbortSignal): Promise<Outcome<Opened>>;
  /** What of a wall explains what it printed. */
  hints?(started: RunLike | Live, output: string): readonly string[];
  /** Whether these keys may be typed into it now. */
  mayType(
    who: Who,
    session: Session,
    typed: readonly Typed[],
    signal: AbortSignal,
  ): Promise<Outcome<TypingPermit>>;
}

export interface BashArgs {
  readonly command: string;
  readonly timeoutSeconds?: number | undefined;
  readonly stdin?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly isolation?: Isolation | undefined;
}

/** Text, or an expression between slashes. */
export interface Until {
  readonly until?: string | undefined;
}

export interface StartArgs extends Omit<BashArgs, "timeoutSeconds">, Until {}

export interface ContinueArgs extends Until {
  readonly sessionId: string;
  readonly stdin?: string | undefined;
  /** Read from here again, instead of what is new. */
  readonly position?: number | undefined;
}
