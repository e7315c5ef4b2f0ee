// Owns the port for messages to viewers; a dialect implements it.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { PtyAttached, PtyDriver } from "../../protocol/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { FormatOutput, RenditionName } from "../channels/rendition.ts";
import type { GetChannelMessages } from "../channels/channel-table.ts";

export interface ViewerMessages {
  /** Returns undefined if the dialect has no such message; nothing is sent then. */
  attached(message: Omit<PtyAttached, "type">): string | undefined;
  output(id: string): FormatOutput;
  exit(id: string, exit: Exit): string;
  resized(id: string, cols: number, rows: number): string | undefined;
  driver(message: Omit<PtyDriver, "type">): string | undefined;
  error(code: ErrorCode, message: string, id?: string): string;
}

/** Returns the messages of a rendition's dialect. */
export type MessagesByRendition = (rendition: RenditionName) => ViewerMessages;

/** Returns the messages of one terminal's channels. */
export function toChannelMessages(messagesBy: MessagesByRendition): GetChannelMessages {
  return ({ id }, rendition) => {
    const messages = messagesBy(rendition);
    return { output: messages.output(id), exit: (exit) => messages.exit(id, exit) };
  };
}
