// Owns the output that a coding agent gets from its terminal: the last bytes within a limit, as
// text, with the program's own line ends. Pure.

import { findCharacterStart } from "../../protocol/utf8.ts";
import type { RetainedForAgents } from "../reading/terminal-text.ts";
import { readAll } from "../reading/terminal-text.ts";

/** Upper bound for any request; encoded as JSON it still fits a message to an agent. */
export const MAX_OUTPUT_BYTES = 1 << 20;

export interface ClientOutput {
  readonly output: string;
  /** Whether earlier output was cut off. */
  readonly truncated: boolean;
}

export function clampLimit(asked: number | null | undefined): number {
  return Math.min(asked ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
}

/**
 * Returns the last bytes as text. The line discipline puts one CR before each LF, so removing one
 * before each LF restores what the program wrote, including its own CRs. `isOver`: the program has
 * exited.
 */
export function clientOutput(
  retained: RetainedForAgents,
  limit: number,
  isOver: boolean,
): ClientOutput {
  const { text, offset } = readAll(retained, 0, isOver);
  const bytes = Buffer.from(text);
  const from = findCharacterStart(bytes, Math.max(0, bytes.length - limit));
  return { output: bytes.toString("utf8", from), truncated: offset > 0 || from > 0 };
}
