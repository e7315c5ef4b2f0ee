// Owns parsing inline image files (iTerm's OSC 1337): the requested size, and the file's pixel size before it is
// decoded. Pure.

import { readPictureSize } from "./picture-size.ts";

export interface InlineFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly requested: RequestedSize;
}

export interface RequestedSize {
  /** As written by the program: cells, `px`, `%` or `auto`. */
  readonly width: string;
  readonly height: string;
  readonly keepsAspectRatio: boolean;
}

/** Parses an inline file; undefined if it is not an inline image of a supported format. */
export function parseInlineFile(data: string): InlineFile | undefined {
  const colon = data.indexOf(":");
  if (!data.startsWith("File=") || colon < 0) return undefined;
  const fields = new Map(
    data
      .slice("File=".length, colon)
      .split(";")
      .map((field) => {
        const at = field.indexOf("=");
        return [field.slice(0, at), field.slice(at + 1)];
      }),
  );
  if (fields.get("inline") !== "1") return undefined;
  const bytes = decodeBase64(data.slice(colon + 1));
  const size = bytes && readPictureSize(bytes);
  if (!bytes || !size) return undefined;
  const requested = {
    width: fields.get("width") ?? "auto",
    height: fields.get("height") ?? "auto",
    keepsAspectRatio: fields.get("preserveAspectRatio") !== "0",
  };
  return { bytes, ...size, requested };
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    // The text is not base64.
    return undefined;
  }
}
