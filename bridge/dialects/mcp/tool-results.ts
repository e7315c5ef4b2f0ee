// Owns the shape of a tool's result: text in the documented JSON, and structured content with
// additional optional fields. Some clients show a model only one of them, so each has every fact
// once.

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Terminal } from "../../../protocol/terminal.ts";

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
    moreReasons === undefined ? undefined : ["Other reasons:", ...moreReasons].join("\n");
  const texts = [error, hint, reasons].filter((text) => text !== undefined);
  const fields = {
    error,
    ...(hint === undefined ? {} : { hint }),
    ...(moreReasons === undefined ? {} : { moreReasons }),
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
  return { id, cwd, owner, visible, createdAt, ...(command === undefined ? {} : { command }) };
}
