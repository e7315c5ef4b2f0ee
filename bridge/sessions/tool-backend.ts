// Owns the port that the session tools need: starting something, permission to type, settings; and
// the tools' arguments. Agents over MCP have one backend, programs that use the library another.

import type { Isolation } from "../../protocol/isolation.ts";
import type { AgentDefaults } from "../agents/defaults.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { Input } from "../terminals/spawn-plan.ts";
import type { Session } from "./session-registry.ts";
import type { Intervals } from "./tool-waits.ts";
import type { KeyInput } from "./named-keys.ts";
import type { SessionTarget, RunLike, TypingPermit } from "./session-target.ts";

/** An MCP call is answered within this time, whatever it waits for. */
export const ANSWER_MS = 50_000;
export interface ToolSettings {
  readonly cropOutput: number;
  readonly timeoutSeconds: number;
  readonly intervals: Intervals;
  /** Undefined if calls may take any time. */
  readonly answerMs: number | undefined;
}

/** Converts the settings of the configuration, whose times are in seconds. */
export function toToolSettings(
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

/** A command line to run, and where. */
export interface ShellCommandRequest {
  readonly line: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly isolation?: Isolation | undefined;
}

export interface OpenedSession {
  readonly target: SessionTarget;
  /** The session's number, from the registry. */
  readonly number: number;
  readonly startedAt: number;
}

/** `Who` is the requester: a caller of the bridge, or an agent of the library. */
export interface ToolBackend<Who> {
  getOwner(who: Who): string;
  /** Returns what else its sessions end with, beside their owner. */
  getConnection(who: Who): object | undefined;
  settings(who: Who): ToolSettings;
  /** Runs a command after policy and approval; or returns why not. */
  run(
    who: Who,
    request: ShellCommandRequest & { readonly input: Input | undefined },
    signal: AbortSignal,
  ): Promise<Outcome<RunLike>>;
  open(
    who: Who,
    request: ShellCommandRequest,
    signal: AbortSignal,
  ): Promise<Outcome<OpenedSession>>;
  /** Returns hints about the sandbox that explain the output. */
  hints?(started: RunLike | SessionTarget, output: string): readonly string[];
  /** Resolves to a permit if these keys may be typed now. */
  authorizeTyping(
    who: Who,
    session: Session,
    typed: readonly KeyInput[],
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

/** Plain text, or a regular expression between slashes. */
export interface OutputPattern {
  readonly until?: string | undefined;
}

export interface StartArgs extends Omit<BashArgs, "timeoutSeconds">, OutputPattern {}

export interface ContinueArgs extends OutputPattern {
  readonly sessionId: string;
  readonly stdin?: string | undefined;
  /** Offset to read again from, instead of new output. */
  readonly position?: number | undefined;
}
