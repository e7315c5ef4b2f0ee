// Owns the two forms in which a terminal's output travels: `raw` bytes for our own page and shell,
// and `json`, the text of the pty dialect's messages for everybody else. Pure.

import type { Exit } from "../../protocol/terminal.ts";
import { unfinishedTail } from "../../protocol/utf8.ts";
import type { Piece, Wording } from "./encoding.ts";
import { encodePieces } from "./encoding.ts";

export const RENDITIONS = ["json", "raw"] as const;
export type RenditionName = (typeof RENDITIONS)[number];

export interface Rendition {
  readonly name: RenditionName;
  /** How many bytes at the end must wait for what follows them. */
  tail(bytes: Uint8Array): number;
  /** What tells of these bytes, each piece within a frame. */
  pieces(bytes: Uint8Array, offset: number): Piece[];
  exit(exit: Exit): string;
}

export interface Words {
  readonly output: Wording;
  exit(exit: Exit): string;
}

export function renditionOf(name: RenditionName, words: Words): Rendition {
  const exit = (how: Exit) => words.exit(how);
  if (name === "json") {
    const pieces = (bytes: Uint8Array, offset: number) => encodePieces(bytes, offset, words.output);
    return { name, tail: unfinishedTail, pieces, exit };
  }
  const pieces = (bytes: Uint8Array, offset: number) => [
    { offset, span: bytes.length, body: bytes },
  ];
  return { name, tail: () => 0, pieces, exit };
}
