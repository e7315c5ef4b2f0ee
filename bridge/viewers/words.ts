// Owns the words that viewers are told, as a port: a dialect has them, viewers do not choose them.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { PtyAttached, PtyDriver } from "../../protocol/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Wording } from "../channels/encoding.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { ChannelWords } from "../channels/table.ts";

export interface ViewerWords {
  /** Undefined where the dialect has no word for it: then nothing is said. */
  attached(message: Omit<PtyAttached, "type">): string | undefined;
  output(id: string): Wording;
  exit(id: string, exit: Exit): string;
  resized(id: string, cols: number, rows: number): string | undefined;
  driver(message: Omit<PtyDriver, "type">): string | undefined;
  error(code: ErrorCode, sentence: string, id?: string): string;
}

/** Which dialect's they are follows from the rendition. */
export type WordsBy = (rendition: RenditionName) => ViewerWords;

/** What a channel of one terminal says. */
export function channelWords(wordsBy: WordsBy): ChannelWords {
  return ({ id }, rendition) => {
    const words = wordsBy(rendition);
    return { output: words.output(id), exit: (exit) => words.exit(id, exit) };
  };
}
