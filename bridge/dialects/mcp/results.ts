// Owns the form of a tool's result: the seed's exact JSON as text, and the same with our optional
// fields as structured content. Some clients show a model only the one, some only the other: each
// has every fact, once.

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Terminal } from "../../../protocol/terminal.ts";

export function success(text: unknown, structured: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(text) }],
    structuredContent: structured,
  };
}

/** A seed's own text, and in a second block what it has no place for. */
export function noted(
  text: string,
  notes: readonly string[],
  structured: Record<string, unknown>,
): CallToolResult {
  const more = notes.length === 0 ? [] : [{ type: "text" as const, text: notes.join("\n") }];
  return { content: [{ type: "text", text }, ...more], structuredContent: structured };
}

/** The seed's error text alone; what else is to be known goes beside it, for a model as for a program. */
export function failure(
  error: string,
  structured?: Record<string, unknown>,
  hint?: string,
): CallToolResult {
  const more = hint === undefined ? [] : [{ type: "text" as const, text: hint }];
  const hinted = hint === undefined ? {} : { hint };
  return {
    content: [{ type: "text", text: error }, ...more],
    isError: true,
    ...(structured === undefined ? {} : { structuredContent: { error, ...hinted, ...structured } }),
  };
}

/** As much of a list as fits a result; the newest are at its end, and those are kept. */
export function fitList(terminals: readonly Terminal[], most: number): Terminal[] {
  let length = 2;
  const fits = (terminal: Terminal) => {
    length += JSON.stringify(seedTerminal(terminal)).length + 1;
    return length <= most;
  };
  return terminals
    .toReversed()
    .filter((terminal) => fits(terminal))
    .toReversed();
}

/** The seed's session metadata, in its order, and nothing else. */
export function seedTerminal({ id, cwd, owner, visible, createdAt, command }: Terminal): object {
  return { id, cwd, owner, visible, createdAt, ...(command === undefined ? {} : { command }) };
}
