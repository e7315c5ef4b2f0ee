// Owns the forms of a terminal's output: `raw` bytes for our own page and shell, and text for other
// clients: `json` in messages of the pty dialect, `panel` in those of panels. Pure.

import type { Exit } from "../../protocol/terminal.ts";
import { countUnfinishedTail } from "../../protocol/utf8.ts";
import type { OutputPiece, FormatOutput } from "./output-pieces.ts";
import { encodePieces } from "./output-pieces.ts";

export const RENDITIONS = ["json", "raw", "panel"] as const;
export type RenditionName = (typeof RENDITIONS)[number];

export function isText(name: RenditionName): boolean {
  return name !== "raw";
}

export interface Rendition {
  readonly name: RenditionName;
  /** Returns how many bytes at the end must wait for the next ones. */
  tail(bytes: Uint8Array): number;
  /** Encodes the bytes into pieces that fit a frame. */
  pieces(bytes: Uint8Array, offset: number): OutputPiece[];
  exit(exit: Exit): string;
}

export interface ChannelMessages {
  readonly output: FormatOutput;
  exit(exit: Exit): string;
}

export function createRendition(name: RenditionName, messages: ChannelMessages): Rendition {
  const exit = (how: Exit) => messages.exit(how);
  if (isText(name)) {
    const pieces = (bytes: Uint8Array, offset: number) =>
      encodePieces(bytes, offset, messages.output);
    return { name, tail: countUnfinishedTail, pieces, exit };
  }
  const pieces = (bytes: Uint8Array, offset: number) => [
    { offset, span: bytes.length, body: bytes },
  ];
  return { name, tail: () => 0, pieces, exit };
}
