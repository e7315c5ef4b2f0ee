// Owns the forms of a terminal's output: `raw` bytes for our own page and shell, and text for other
// clients: `json` in messages of the pty dialect, `panel` in those of panels. Also owns splitting a
// terminal's bytes into pieces of text that fit a frame. Sealed callers get `sealed`, which is raw
// bytes, and `sealed-panel`, each on a channel of its own, whose frames are sealed. Pure.

import { MAX_FRAME_PAYLOAD } from "../../protocol/limits.ts";
import { OUTPUT_HEADER_BYTES } from "../../protocol/output.ts";
import { MAX_RECORD_DATA } from "../../protocol/sealed/messages.ts";
import { SEALED_OUTPUT_OVERHEAD } from "../../protocol/sealed/output-record.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { countUnfinishedTail, findCharacterStart } from "../../protocol/text.ts";

export const RENDITIONS = ["json", "raw", "panel", "sealed", "sealed-panel"] as const;
export type RenditionName = (typeof RENDITIONS)[number];

export function isText(name: RenditionName): boolean {
  return name !== "raw" && name !== "sealed";
}

export function isPanel(name: RenditionName): boolean {
  return name === "panel" || name === "sealed-panel";
}

export function isSealed(name: RenditionName): boolean {
  return name === "sealed" || name === "sealed-panel";
}

/** Returns the sealed form of a rendition. */
export function toSealed(name: RenditionName): RenditionName {
  return isPanel(name) ? "sealed-panel" : "sealed";
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

interface OutputPiece {
  readonly offset: number;
  /** Number of raw bytes covered. */
  readonly span: number;
  readonly body: Uint8Array;
}

/** Formats the message for `text`, the bytes from `offset` to `next`. */
export type FormatOutput = (text: string, offset: number, next: number) => string;

/** Leaves space for sealing: of an output frame, or of a message in a record. */
const MAX_BODY =
  Math.min(MAX_FRAME_PAYLOAD - SEALED_OUTPUT_OVERHEAD, MAX_RECORD_DATA) - OUTPUT_HEADER_BYTES;

/**
 * Splits bytes into pieces. `bytes` must not end inside a character. Text that grows too much when
 * quoted is halved until it fits.
 */
export function encodePieces(
  bytes: Uint8Array,
  offset: number,
  format: FormatOutput,
): OutputPiece[] {
  const text = decode(bytes);
  const body = Buffer.from(format(text, offset, offset + bytes.length));
  if (body.length <= MAX_BODY) return [{ offset, span: bytes.length, body }];
  const middle = findCharacterStart(bytes, bytes.length >> 1);
  return [
    ...encodePieces(bytes.subarray(0, middle), offset, format),
    ...encodePieces(bytes.subarray(middle), offset + middle, format),
  ];
}

/** Decodes UTF-8. TextDecoder is several times slower on short ASCII, the usual output. */
function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
