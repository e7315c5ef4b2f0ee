// Owns the words that the session tools answer with: seed 004's forms, letter for letter, and ours
// where it has none. Pure.

import { onOneLine } from "../../protocol/title.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Cropped } from "./crop.ts";

export interface StartedText {
  readonly id: string;
  readonly command: string;
  readonly position: number;
  readonly output: string;
}

export function startedText({ id, command, position, output }: StartedText): string {
  return `Terminal Session Started\nID: ${id}\nCommand: ${command}\nPosition: ${position}\n\nOutput:\n${output}`;
}

export interface ContinuedText {
  readonly id: string;
  readonly position: number;
  readonly complete: boolean;
  readonly output: string;
}

export function continuedText({ id, position, complete, output }: ContinuedText): string {
  return `Terminal Session: ${id}\nPosition: ${position}\nComplete: ${complete}\n\nOutput:\n${output}`;
}

export function stoppedText(id: string): string {
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

export function listText(sessions: readonly ListedSession[]): string {
  if (sessions.length === 0) return "No active terminal sessions.";
  const rows = sessions.map(({ id, command, position, running, uptimeSeconds }) =>
    [
      id.padEnd(ID_WIDTH),
      shortened(onOneLine(command)).padEnd(COMMAND_WIDTH),
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

function shortened(command: string): string {
  return command.length <= COMMAND_WIDTH ? command : `${command.slice(0, COMMAND_WIDTH - 1)}…`;
}

/** How a command ended: `Exit code: 0`, or by which signal. */
export function ranText(exit: Exit, output: string): string {
  return `${exitText(exit)}\n\nOutput:\n${output}`;
}

export function exitText({ exitCode, signal }: Exit): string {
  if (exitCode !== null) return `Exit code: ${exitCode}`;
  return signal === null ? "Exit code: unknown" : `Exit code: none (ended by ${signal})`;
}

/** The cut is said where it is, with how much it is and which call reads it. */
export function croppedText({ head, cut, tail }: Cropped, id: string, lost: number): string {
  if (cut === undefined) return head + tail;
  const bytes = cut.to - cut.from;
  const mark = `[cut: ${bytes} bytes; ${howToRead(id, cut.from, bytes, lost)}]`;
  return `${onNewLine(head)}${mark}\n${tail}`;
}

/** Before a page that begins where something is kept again. */
export function lostText(lost: number): string {
  return lost > 0 ? `[cut: ${lost} bytes; they are not kept]\n` : "";
}

/** `lost` of the bytes that were cut are not kept. */
function howToRead(id: string, from: number, bytes: number, lost: number): string {
  if (lost >= bytes) return "they are not kept";
  const kept = lost > 0 ? `${bytes - lost} of them are kept; ` : "";
  return `${kept}terminal_continue with sessionId "${id}" and position ${from} reads on from there`;
}

function onNewLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
