// Owns what a coding agent gets of its terminal's output: the last bytes within a limit, as text,
// with line ends as the program wrote them. Pure.

import { characterStart } from "../../protocol/utf8.ts";
import type { RetainedForAgents } from "../reading/reading.ts";
import { everything } from "../reading/reading.ts";

/** Whatever an agent asks for; as JSON it stays below what a message to an agent may have. */
export const MOST_OUTPUT_BYTES = 1 << 20;

export interface ClientOutput {
  readonly output: string;
  /** Earlier output was cut off. */
  readonly truncated: boolean;
}

export function limitOf(asked: number | null | undefined): number {
  return Math.min(asked ?? MOST_OUTPUT_BYTES, MOST_OUTPUT_BYTES);
}

/**
 * The terminal's line discipline puts one CR before each LF, so taking one away before each LF gives
 * back what was written, CRs of the program's own included. `isOver`: no more will come.
 */
export function clientOutput(
  retained: RetainedForAgents,
  limit: number,
  isOver: boolean,
): ClientOutput {
  const { text, offset } = everything(retained, 0, isOver);
  const bytes = Buffer.from(text);
  const from = characterStart(bytes, Math.max(0, bytes.length - limit));
  return { output: bytes.toString("utf8", from), truncated: offset > 0 || from > 0 };
}
