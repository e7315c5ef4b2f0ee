// Owns the answers of the session tools: text in the tools' documented form, notes beside it, and
// the same as fields for programs. Pure.

import { compact } from "../../protocol/compact.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { WaitEnd } from "../reading/wait-until.ts";
import type { ContinuedText, ListedSession, StartedText } from "./tool-texts.ts";
import {
  formatContinued,
  formatExit,
  formatSessions,
  formatRun,
  formatStarted,
  formatStopped,
} from "./tool-texts.ts";

export interface ToolAnswer<Fields> {
  /** In the tools' documented form. */
  readonly text: string;
  /** Sentences that do not fit that form. */
  readonly notes: readonly string[];
  /** Every fact of text and notes: some clients show only these to a model. */
  readonly fields: Fields;
}

/** Common to the fields of every answer. */
interface NoteFields {
  /** Sentences that no other field covers. */
  readonly notes?: readonly string[];
}

export interface BashFields extends NoteFields {
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly signal?: string;
  readonly error?: string;
  /** Session id, to read the rest or to continue the command. */
  readonly id?: string;
  readonly position?: number;
}

/** State of a session after a call. */
interface SessionState {
  /** The process has exited, and this is the last of its output. */
  readonly complete: boolean;
  /** How the wait for output ended; undefined if the call did not wait. */
  readonly waited?: WaitEnd;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

export interface StartFields extends SessionState, NoteFields {
  readonly id: string;
  readonly output: string;
  readonly position: number;
}

export interface ContinueFields extends SessionState, NoteFields {
  readonly output: string;
  readonly position: number;
}

export interface StopFields {
  readonly id: string;
  readonly terminated: true;
}

export interface ListFields {
  readonly sessions: readonly ListedSession[];
}

export interface RunResult {
  readonly exit: Exit;
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Set if output was cut. */
  readonly id: string | undefined;
  /** Set if a timeout ended it. */
  readonly timedOutAfter: number | undefined;
  /** Number of processes that it started and that still run. */
  readonly leftovers: number;
}

export function toBashAnswer(result: RunResult): ToolAnswer<BashFields> {
  const { exit, output, stdout, stderr, id, timedOutAfter } = result;
  const error =
    timedOutAfter === undefined
      ? undefined
      : `Timed out after ${timedOutAfter} s: the command and everything it started were ended`;
  const answer: ToolAnswer<BashFields> = {
    text: formatRun(exit, output),
    notes: error === undefined ? [] : [error],
    fields: {
      ok: exit.exitCode === 0 && error === undefined,
      exitCode: exit.exitCode,
      stdout,
      stderr,
      output,
      ...(exit.signal === null ? {} : { signal: exit.signal }),
      ...compact({ error, id }),
    },
  };
  return withNotes(answer, result.leftovers === 0 ? [] : [formatLeftovers(result.leftovers)]);
}

/** Adds sentences that no field covers: to the notes, and to the fields as `notes`. */
export function withNotes<Fields extends NoteFields>(
  answer: ToolAnswer<Fields>,
  more: readonly string[],
): ToolAnswer<Fields> {
  if (more.length === 0) return answer;
  const { notes, fields } = answer;
  return {
    ...answer,
    notes: [...notes, ...more],
    fields: { ...fields, notes: [...(fields.notes ?? []), ...more] },
  };
}

function formatLeftovers(count: number): string {
  const who =
    count === 1
      ? "1 process that it started is still running"
      : `${count} processes that it started are still running`;
  return `${who}, until pairpty drops this command. Use terminal_start for programs that should keep running`;
}

export interface StillRunning extends Pick<StartFields, "id" | "output" | "position"> {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly afterSeconds: number;
  readonly timeoutSeconds: number;
}

export function toStillRunningAnswer(running: StillRunning): ToolAnswer<BashFields> {
  const { id, output, position, stdout, stderr, afterSeconds, timeoutSeconds } = running;
  const error = `It is still running after ${afterSeconds} s, as session ${id}: terminal_continue waits for more, terminal_stop ends it. Its timeout of ${timeoutSeconds} s ends it unless you call terminal_continue first`;
  return {
    text: formatStarted(running),
    notes: [error],
    fields: { ok: false, exitCode: null, stdout, stderr, output, error, id, position },
  };
}

/** How a wait ended; the caller decides with it whether to wait again. */
export interface WaitResult {
  readonly end: WaitEnd;
  readonly settleSeconds: number;
  readonly maxSeconds: number;
}

function formatWait({ end, settleSeconds, maxSeconds }: WaitResult): string[] {
  switch (end) {
    case "pattern":
      return ["Matched `until`"];
    case "idle":
      return [`No output for ${settleSeconds} s`];
    case "timeout":
      return [`It is still running after ${maxSeconds} s: call terminal_continue for more`];
    case "exit":
    case "cancelled":
      return [];
  }
}

export function toStartAnswer(
  started: StartedText,
  exit: Exit | undefined,
  waited: WaitResult,
): ToolAnswer<StartFields> {
  const { id, output, position } = started;
  return {
    text: formatStarted(started),
    notes: exit === undefined ? formatWait(waited) : [`It has ended. ${formatExit(exit)}`],
    fields: { id, output, position, ...toSessionState(exit !== undefined, exit, waited) },
  };
}

/** Builds the answer; `waited` is undefined if the call read again from a position. */
export function toContinueAnswer(
  continued: ContinuedText,
  exit: Exit | undefined,
  waited: WaitResult | undefined,
): ToolAnswer<ContinueFields> {
  const { output, position, complete } = continued;
  const waitNotes =
    waited === undefined ? [`Read on from position ${position}`] : formatWait(waited);
  const exitNotes = exit === undefined ? [] : [formatExit(exit)];
  return {
    text: formatContinued(continued),
    notes: complete ? exitNotes : waitNotes,
    fields: { output, position, ...toSessionState(complete, exit, waited) },
  };
}

function toSessionState(
  complete: boolean,
  exit: Exit | undefined,
  waited: WaitResult | undefined,
): SessionState {
  const end = waited?.end;
  return { complete, ...compact({ waited: end }), ...exit };
}

export function toStopAnswer(id: string): ToolAnswer<StopFields> {
  return { text: formatStopped(id), notes: [], fields: { id, terminated: true } };
}

export function toListAnswer(sessions: readonly ListedSession[]): ToolAnswer<ListFields> {
  return { text: formatSessions(sessions), notes: [], fields: { sessions } };
}
