// Owns every way in which a shell may read the lines that an agent submits. Pure.

import type { LineGrammar, SentLine, TypedResult } from "./pending-line.ts";

export interface LineReadings {
  /** The lines as typed, for display. */
  readonly typed: string;
  /** Lines that a shell may read instead, if its current line is unknown. */
  readonly alternatives: readonly string[];
  /** More readings exist than are listed. */
  readonly isCut: boolean;
}

/** The policy judges each; a line with more requires an approval as dangerous. */
export const MAX_READINGS = 200;

/** Whether the keys submit something that a shell may run. */
export function isAnythingSent(sent: readonly SentLine[]): boolean {
  return sent.some((line) => line.kind === "unknown" || line.text.trim() !== "");
}

/** Returns what a shell may read when these lines reach it. */
export function findReadings(
  { sent, text, isCut: isMore }: Pick<TypedResult, "sent" | "text" | "isCut">,
  grammar: Pick<LineGrammar, "isSurelyComplete">,
): LineReadings {
  const others = new Set<string>();
  let isCut = isMore;
  for (const line of sent) {
    if (line.kind === "known") continue;
    for (const part of listSuffixes(line.typed)) {
      if (others.size >= MAX_READINGS) {
        isCut = true;
        break;
      }
      // An incomplete line is judged with the line that completes it.
      if (part.trim() !== "" && grammar.isSurelyComplete(part)) others.add(part);
    }
  }
  others.delete(text);
  return { typed: text, alternatives: [...others], isCut };
}

/** Yields the text from each of its lines on, and from each character of its last line on. */
function* listSuffixes(typed: string): Generator<string> {
  const last = typed.lastIndexOf("\n") + 1;
  yield typed;
  for (let at = typed.indexOf("\n"); at >= 0; at = typed.indexOf("\n", at + 1)) {
    yield typed.slice(at + 1);
  }
  for (let at = last + 1; at < typed.length; at++) yield typed.slice(at);
}
