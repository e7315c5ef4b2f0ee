// Owns the texts of the session tools: their documented forms, letter for letter, and pairpty's
// additions. Pure.

import { toOneLine } from "../../protocol/names.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { CroppedText } from "./crop.ts";

const STARTED = "Terminal Session Started";
const OUTPUT = "\n\nOutput:\n";

export interface StartedText {
  readonly id: string;
  readonly command: string;
  readonly position: number;
  readonly output: string;
}

export function formatStarted({ id, command, position, output }: StartedText): string {
  return `${STARTED}\nID: ${id}\nCommand: ${command}\nPosition: ${position}${OUTPUT}${output}`;
}

/** Returns the output in the text of a command's answer, whether it ended or became a session. */
export function findOutput(text: string, command: string): string {
  // The command comes before it and may contain any text.
  const from = text.startsWith(STARTED) ? text.indexOf(command) + command.length : 0;
  const at = text.indexOf(OUTPUT, from);
  return at === -1 ? "" : text.slice(at + OUTPUT.length);
}

export interface ContinuedText {
  readonly id: string;
  readonly position: number;
  readonly complete: boolean;
  readonly output: string;
}

export function formatContinued({ id, position, complete, output }: ContinuedText): string {
  return `Terminal Session: ${id}\nPosition: ${position}\nComplete: ${complete}${OUTPUT}${output}`;
}

export function formatStopped(id: string): string {
  return `Terminal session ${id} terminated.`;
}

export interface ListedSession {
  readonly id: string;
  readonly command: string;
  readonly position: number;
  readonly running: boolean;
  readonly uptimeSeconds: number;
}

const ID_WIDTH = 12;
const COMMAND_WIDTH = 30;
const POSITION_WIDTH = 8;
const RUNNING_WIDTH = 7;

export function formatSessions(sessions: readonly ListedSession[]): string {
  if (sessions.length === 0) return "No active terminal sessions.";
  const rows = sessions.map(({ id, command, position, running, uptimeSeconds }) =>
    [
      id.padEnd(ID_WIDTH),
      shortenCommand(toOneLine(command)).padEnd(COMMAND_WIDTH),
      String(position).padEnd(POSITION_WIDTH),
      (running ? "Yes" : "No").padEnd(RUNNING_WIDTH),
      `${uptimeSeconds}s`,
    ].join(" | "),
  );
  return [
    "Active Terminal Sessions:",
    "ID           | Command                        | Position | Running | Uptime",
    "-------------|--------------------------------|----------|---------|--------",
    ...rows,
  ].join("\n");
}

function shortenCommand(command: string): string {
  return command.length <= COMMAND_WIDTH ? command : `${command.slice(0, COMMAND_WIDTH - 1)}…`;
}

/** Returns how a command ended, `Exit code: 0` or the signal, and its output. */
export function formatRun(exit: Exit, output: string): string {
  return `${formatExit(exit)}${OUTPUT}${output}`;
}

export function formatExit({ exitCode, signal }: Exit): string {
  if (exitCode !== null) return `Exit code: ${exitCode}`;
  return signal === null ? "Exit code: unknown" : `Exit code: none (ended by ${signal})`;
}

export interface CutDetails {
  /** The session that has what was cut; undefined without one. */
  readonly id: string | undefined;
  /** Number of cut bytes that are no longer stored. */
  readonly lost: number;
  /** Lines of the cut that look like failures, each with its newline. */
  readonly failures?: string;
  /** The output is one stream, and the session has stdout and stderr together. */
  readonly isOfBoth?: boolean;
}

const FAILURES_BEGIN = "; what looks like failures in it:";
const FAILURES_END = "[end of the cut]\n";
/** Length that failures add to a mark, besides their own lines. */
export const MAX_FAILURE_MARK_CHARS = FAILURES_BEGIN.length + FAILURES_END.length;

/** Joins head and tail with a mark: size of the cut, how to read it, likely failures. */
export function formatCropped({ head, cut, tail }: CroppedText, details: CutDetails): string {
  if (cut === undefined) return head + tail;
  const bytes = cut.to - cut.from;
  const { failures = "" } = details;
  const [begin, end] = failures === "" ? ["", ""] : [FAILURES_BEGIN, FAILURES_END];
  const mark = `[cut: ${bytes} bytes; ${formatHowToRead(cut.from, bytes, details)}${begin}]`;
  return `${endWithNewline(head)}${mark}\n${failures}${end}${tail}`;
}

/** Returns the mark before a page whose beginning is lost. */
export function formatLost(lost: number): string {
  return lost > 0 ? `[cut: ${lost} bytes; no longer available]\n` : "";
}

function formatHowToRead(from: number, bytes: number, { id, lost, isOfBoth }: CutDetails): string {
  if (lost >= bytes || id === undefined) return "no longer available";
  const kept = lost > 0 ? `${bytes - lost} of them are available; ` : "";
  const what = isOfBoth === true ? "reads them, stdout and stderr together" : "reads on from there";
  return `${kept}terminal_continue with sessionId "${id}" and position ${from} ${what}`;
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
