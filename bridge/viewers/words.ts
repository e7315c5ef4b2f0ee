// Owns the port for messages to viewers; a dialect implements it.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { PtyAttached, PtyDriver } from "../../protocol/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Wording } from "../channels/encoding.ts";
import type { RenditionName } from "../channels/rendition.ts";
import type { ChannelWords } from "../channels/table.ts";

export interface ViewerWords {
  /** Returns undefined if the dialect has no such message; nothing is sent then. */
  attached(message: Omit<PtyAttached, "type">): string | undefined;
  output(id: string): Wording;
  exit(id: string, exit: Exit): string;
  resized(id: string, cols: number, rows: number): string | undefined;
  driver(message: Omit<PtyDriver, "type">): string | undefined;
  error(code: ErrorCode, sentence: string, id?: string): string;
}

/** Returns the messages of a rendition's dialect. */
export type WordsBy = (rendition: RenditionName) => ViewerWords;

/** Returns the messages of one terminal's channels. */
export function channelWords(wordsBy: WordsBy): ChannelWords {
  return ({ id }, rendition) => {
    const words = wordsBy(rendition);
    return { output: words.output(id), exit: (exit) => words.exit(id, exit) };
  };
}
