// Owns the words that viewers are told, as a port: a dialect has them, viewers do not choose them.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { PtyAttached, PtyDriver } from "../../protocol/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Wording } from "../channels/encoding.ts";
import type { Words } from "../channels/rendition.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

export interface ViewerWords {
  attached(message: Omit<PtyAttached, "type">): string;
  output(id: string): Wording;
  exit(id: string, exit: Exit): string;
  resized(id: string, cols: number, rows: number): string;
  driver(message: Omit<PtyDriver, "type">): string;
  error(code: ErrorCode, sentence: string, id?: string): string;
}

/** What a channel of one terminal says. */
export function channelWords(words: ViewerWords): (terminal: PoolTerminal) => Words {
  return ({ id }) => ({ output: words.output(id), exit: (exit) => words.exit(id, exit) });
}
