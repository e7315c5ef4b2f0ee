// Owns what is printed in the throughput measure: lines of plain text, with their checksum.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Sample {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

const REST = " the quick brown fox jumps over the lazy dog and runs on to the end of line";

/** Numbered, so that a line that is lost, doubled or moved changes the checksum. */
export function makeSample(folder: string, bytes: number): Sample {
  const content = Buffer.alloc(bytes, "\n");
  let at = 0;
  for (let line = 0; at < bytes; line++) {
    at += content.write(`${String(line).padStart(7, "0")}${REST}\n`, at, "latin1");
  }
  const path = join(folder, `${bytes}-bytes.txt`);
  writeFileSync(path, content);
  return { path, bytes, sha256: createHash("sha256").update(content).digest("hex") };
}
