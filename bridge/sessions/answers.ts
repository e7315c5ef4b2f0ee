// Owns what a tool of seed 004 answers: the seed's text, our notes beside it, and the same for
// programs. Pure.

import type { Exit } from "../../protocol/terminal.ts";
import type { WaitEnd } from "../reading/waiting.ts";
import type { ListedSession } from "./texts.ts";
import { continuedText, exitText, listText, ranText, startedText, stoppedText } from "./texts.ts";

export interface ToolAnswer<Fields> {
  /** The seed's form. */
  readonly text: string;
  /** What that form has no place for. */
  readonly notes: readonly string[];
  readonly fields: Fields;
}

export interface BashFields {
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly signal?: string;
  readonly error?: string;
  /** By which the rest is read, or the command goes on. */
  readonly id?: string;
  readonly position?: number;
}

export interface StartFields {
  readonly id: string;
  readonly output: string;
  readonly position: number;
}

export interface ContinueFields {
  readonly output: string;
  readonly position: number;
  readonly complete: boolean;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

export interface StopFields {
  readonly id: string;
  readonly terminated: true;
}

export interface ListFields {
  readonly sessions: readonly ListedSession[];
}

export interface Ran {
  readonly exit: Exit;
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when something was cut. */
  readonly id: string | undefined;
  /** Set when a timeout ended it. */
  readonly timedOutAfter: number | undefined;
  /** Processes that it started and that still run. */
  readonly leftovers: number;
}

export function bashAnswer(ran: Ran): ToolAnswer<BashFields> {
  const { exit, output, stdout, stderr, id, timedOutAfter } = ran;
  const error =
    timedOutAfter === undefined
      ? undefined
      : `Timed out after ${timedOutAfter} s: the command and everything it started were ended`;
  const notes = [
    ...(error === undefined ? [] : [error]),
    ...(ran.leftovers === 0 ? [] : [leftoverNote(ran.leftovers)]),
  ];
  return {
    text: ranText(exit, output),
    notes,
    fields: {
      ok: exit.exitCode === 0 && error === undefined,
      exitCode: exit.exitCode,
      stdout,
      stderr,
      output,
      ...(exit.signal === null ? {} : { signal: exit.signal }),
      ...(error === undefined ? {} : { error }),
      ...(id === undefined ? {} : { id }),
    },
  };
}

function leftoverNote(count: number): string {
  const who =
    count === 1
      ? "1 process that it started is still running"
      : `${count} processes that it started are still running`;
  return `${who}, until pairpty drops this command. Use terminal_start for programs that should keep running`;
}

export interface StillRuns extends StartFields {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly afterSeconds: number;
  readonly timeoutSeconds: number;
}

export function stillRunsAnswer(runs: StillRuns): ToolAnswer<BashFields> {
  const { id, output, position, stdout, stderr, afterSeconds, timeoutSeconds } = runs;
  const error = `It is still running after ${afterSeconds} s, as session ${id}`;
  return {
    text: startedText(runs),
    notes: [
      `${error}: terminal_continue waits for more, terminal_stop ends it. Its timeout of ${timeoutSeconds} s ends it unless you call terminal_continue first`,
    ],
    fields: { ok: false, exitCode: null, stdout, stderr, output, error, id, position },
  };
}

/** How a wait ended, for whoever has to decide whether to wait again. */
export interface Waited {
  readonly end: WaitEnd | undefined;
  readonly settleSeconds: number;
  readonly maxSeconds: number;
}

export function waitedNote({ end, settleSeconds, maxSeconds }: Waited): string[] {
  switch (end) {
    case "pattern":
      return ["Found what `until` says"];
    case "idle":
      return [`Nothing was printed for ${settleSeconds} s`];
    case "timeout":
      return [
        `It is still printing or waiting after ${maxSeconds} s: call terminal_continue for more`,
      ];
    case "exit":
    case "cancelled":
    case undefined:
      return [];
  }
}

export function startAnswer(
  started: StartFields & { readonly command: string },
  exit: Exit | undefined,
  waited: Waited,
): ToolAnswer<StartFields> {
  const { id, output, position } = started;
  return {
    text: startedText(started),
    notes: exit === undefined ? waitedNote(waited) : [`It has ended. ${exitText(exit)}`],
    fields: { id, output, position },
  };
}

export function continueAnswer(
  continued: ContinueFields & { readonly id: string },
  exit: Exit | undefined,
  notes: readonly string[],
): ToolAnswer<ContinueFields> {
  const { output, position, complete } = continued;
  return {
    text: continuedText(continued),
    notes: exit === undefined ? notes : [exitText(exit), ...notes],
    fields: { output, position, complete, ...(exit === undefined ? {} : exit) },
  };
}

export function stopAnswer(id: string): ToolAnswer<StopFields> {
  return { text: stoppedText(id), notes: [], fields: { id, terminated: true } };
}

export function listAnswer(sessions: readonly ListedSession[]): ToolAnswer<ListFields> {
  return { text: listText(sessions), notes: [], fields: { sessions } };
}
