// Owns the shape of a tool's result: text in the documented JSON, and structured content with
// additional optional fields. Some clients show a model only one of them, so each has every fact
// once. Also owns the second text block of a result: facts for a model that the JSON of the first
// block has no field for.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { compact } from "../../../protocol/compact.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { ReadResult } from "../../agents/agent-reads.ts";

export function toSuccess(text: unknown, structured: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(text) }],
    structuredContent: structured,
  };
}

/** Returns the documented text, and notes that have no field there in a second block. */
export function toSuccessWithNotes(
  text: string,
  notes: readonly string[],
  structured: Record<string, unknown>,
): CallToolResult {
  const more = notes.length === 0 ? [] : [{ type: "text" as const, text: notes.join("\n") }];
  return { content: [{ type: "text", text }, ...more], structuredContent: structured };
}

/** What a failure has beside its error: each is a block of its own, and a field where fields exist. */
export interface FailureNotes {
  readonly hint?: string | undefined;
  readonly moreReasons?: readonly string[] | undefined;
}

export function toFailure(
  error: string,
  structured?: Record<string, unknown>,
  { hint, moreReasons }: FailureNotes = {},
): CallToolResult {
  const reasons =
    moreReasons === undefined
      ? undefined
      : ["The command policy also found:", ...moreReasons].join("\n");
  const texts = [error, hint, reasons].filter((text) => text !== undefined);
  const fields = {
    error,
    ...compact({ hint, moreReasons }),
  };
  return {
    content: texts.map((text) => ({ type: "text", text })),
    isError: true,
    ...(structured === undefined ? {} : { structuredContent: { ...fields, ...structured } }),
  };
}

/** Returns the newest terminals that fit into a result; they are at the end of the list. */
export function truncateList(terminals: readonly Terminal[], maxChars: number): Terminal[] {
  let length = 2;
  const fits = (terminal: Terminal) => {
    length += JSON.stringify(toTerminalMetadata(terminal)).length + 1;
    return length <= maxChars;
  };
  return terminals
    .toReversed()
    .filter((terminal) => fits(terminal))
    .toReversed();
}

/** Returns a terminal's documented metadata, in the documented order. */
export function toTerminalMetadata({
  id,
  cwd,
  owner,
  visible,
  createdAt,
  command,
}: Terminal): object {
  return { id, cwd, owner, visible, createdAt, ...compact({ command }) };
}

const WAIT_END_NOTES: Readonly<Record<NonNullable<ReadResult["waited"]>, string | undefined>> = {
  pattern: "The wait ended: pattern found",
  idle: "The wait ended: no output for that long",
  timeout: "The wait ended: timeout",
  exit: "The wait ended: the process has ended",
  cancelled: undefined,
};

export function formatReadNotes(read: Omit<ReadResult, "text">): string[] {
  const { exit, waited, matches, closed, next, truncated, offset, firstRetained, failures } = read;
  const notes = [
    exit === null ? undefined : formatExitNote(exit),
    exit === null || closed === undefined ? undefined : `Closed: ${closed}`,
    waited === undefined ? undefined : WAIT_END_NOTES[waited],
    matches === undefined ? undefined : formatMatchNote(matches),
    // Output that is no longer kept cannot be read by any offset.
    truncated && offset > firstRetained && matches === undefined
      ? `Cut before offset ${offset}; kept from offset ${firstRetained} on`
      : undefined,
    `Next offset: ${next}`,
    failures === undefined ? undefined : `What looks like failures in the cut:\n${failures}`,
  ];
  return notes.filter((note) => note !== undefined);
}

function formatExitNote({ exitCode, signal }: NonNullable<ReadResult["exit"]>): string {
  if (exitCode !== null) return `Exit code: ${exitCode}`;
  return signal === null ? "Ended; exit code unknown" : `Ended by ${signal}`;
}

function formatMatchNote({
  matches,
  shown,
  searchedFrom,
}: NonNullable<ReadResult["matches"]>): string {
  const count = matches === 0 ? "No line matches" : `${matches} lines match`;
  const rest = shown < matches ? `; the last ${shown} are shown` : "";
  const range =
    searchedFrom === undefined
      ? ""
      : `; searched from offset ${searchedFrom} on, earlier output is not kept`;
  return `${count}${rest}${range}`;
}

/** Returns a line per terminal: the number and name that people see, and its program. */
export function formatListNotes(
  terminals: readonly Terminal[],
  programs: ReadonlyMap<string, string>,
  omitted: number,
): string[] {
  const lines = terminals.map(({ id, number, name, title }) => {
    const program = programs.get(id) ?? "";
    const parts = [
      number === undefined ? undefined : `number ${number}`,
      name === undefined ? undefined : `name ${JSON.stringify(name)}`,
      title === undefined ? undefined : `title ${JSON.stringify(title)}`,
      program === "" ? undefined : `runs ${program}`,
    ].filter((part) => part !== undefined);
    return `${id}: ${parts.join(", ")}`;
  });
  return omitted > 0 ? [...lines, `${omitted} older terminals did not fit`] : lines;
}
