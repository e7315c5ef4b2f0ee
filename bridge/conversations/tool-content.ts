// Owns the content of tool calls in a transcript: merging a newer one, and limiting its size. Pure.

import type { ToolContent } from "../../protocol/conversation.ts";
import { KiB } from "../../protocol/limits.ts";
import { cut } from "./bounded-text.ts";

/** Characters of one entry: as JSON it fits a frame, whatever the text is. */
export const MAX_ENTRY_CHARS = 24 * KiB;

/** Keeps what is known about a terminal when the agent sends its piece again. */
export function mergeContent(
  known: readonly ToolContent[],
  incoming: readonly ToolContent[],
): ToolContent[] {
  return incoming.map((piece) => {
    if (piece.type !== "terminal") return piece;
    const same = known.find((one) => one.type === "terminal" && one.terminal === piece.terminal);
    return same ?? piece;
  });
}

/** Cuts the content to an entry's limit; later pieces are cut first. */
export function limitContent(content: readonly ToolContent[]): ToolContent[] {
  let left = MAX_ENTRY_CHARS - 6 * KiB;
  const take = (given: string) => {
    const some = cut(given, Math.max(0, left));
    left -= some.length;
    return some;
  };
  return content.map((piece): ToolContent => {
    switch (piece.type) {
      case "text":
        return { ...piece, text: take(piece.text) };
      case "terminal":
        return piece.text === undefined ? piece : { ...piece, text: take(piece.text) };
      case "diff":
        return {
          ...piece,
          oldText: piece.oldText === null ? null : take(piece.oldText),
          newText: take(piece.newText),
        };
    }
  });
}

export function cutToEntry(given: string): string {
  return cut(given, MAX_ENTRY_CHARS - 1);
}
