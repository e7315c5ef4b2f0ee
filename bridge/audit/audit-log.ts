// Owns the audit log: one JSON line for every call of an agent, every verdict, every change of a
// terminal, person, approval or grant, and every link given out. The file rotates like the other
// logs.

import { truncate } from "../logs/truncate.ts";
import { listLogFiles, openRotatingFile } from "../logs/rotating-file.ts";
import { Emitter } from "../emitter.ts";
import { formatOmitted, maskValue, MAX_MASKED_CHARS } from "../secrets/mask.ts";
import type { AuditPage, PageRequest } from "./audit-pages.ts";
import { readPage } from "./audit-pages.ts";

/** Five files of this size hold weeks of a busy agent's work. */
const MAX_BYTES = 4 << 20;
const FILES_KEPT = 5;
/** Longer texts are cut to keep a line readable. */
const MAX_TEXT = 500;
/** A longer line loses its arguments, so that a few calls cannot rotate the log's history away. */
const MAX_LINE = 8_000;
/**
 * Arguments that cost more are left out: masking this much blocks the event loop for up to 0.1 s.
 */
const MAX_COST = 4 * MAX_MASKED_CHARS;
/** Cost of the shortest text: about 20 patterns are tried on each. */
const MIN_COST = 64;
/** Deeper nesting counts as infinite cost: a few thousand levels would overflow the stack. */
const MAX_DEPTH = 100;
const TOO_MUCH = "(too much, left out)";

export interface AuditEntry {
  readonly event: string;
  readonly grant?: string;
  readonly label?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly verdict?: string;
  readonly why?: readonly string[];
  readonly outcome?: string;
  readonly terminal?: string;
}

export class AuditLog {
  readonly #write: (line: string) => void;
  readonly #path: string;
  readonly #lines = new Emitter<[string]>();

  constructor(path: string, onProblem: (problem: string) => void) {
    this.#path = path;
    this.#write = openRotatingFile({
      path,
      maxBytes: MAX_BYTES,
      filesKept: FILES_KEPT,
      // The folder is the workspace's state folder; if it was removed, that was intentional.
      makesFolder: false,
      onProblem,
      lost: (count, problem) =>
        toLine({ at: now(), event: "entries lost", outcome: `${count} entries: ${problem}` }),
    });
  }

  write(entry: AuditEntry): void {
    const line = toLine({ at: now(), ...entry });
    this.#write(line);
    this.#lines.fire(line);
  }

  /** Subscribes to each line written. */
  onLine(listener: (line: string) => void): () => void {
    return this.#lines.add(listener);
  }

  readPage(request: PageRequest): AuditPage {
    return readPage(AuditLog.listFiles(this.#path), request);
  }

  /** Returns the files from oldest to newest, whether they exist or not. */
  static listFiles(path: string): string[] {
    return listLogFiles(path, FILES_KEPT);
  }
}

function now(): string {
  return new Date().toISOString();
}

function toLine(entry: AuditEntry & { readonly at: string }): string {
  if (maskingCost(entry.arguments, MAX_COST) > MAX_COST) {
    return toLine({ ...entry, arguments: TOO_MUCH });
  }
  const line = JSON.stringify(maskValue(entry), (_key, value: unknown) =>
    typeof value === "string" ? truncate(value, MAX_TEXT) : value,
  );
  if (line.length <= MAX_LINE) return line;
  return toLine({ ...entry, why: [], arguments: formatOmitted(line.length) });
}

/** Estimates the cost of masking a value; stops beyond `most`. Omitted texts cost the minimum. */
function maskingCost(value: unknown, most: number, depth = 0): number {
  if (typeof value === "string")
    return MIN_COST + (value.length > MAX_MASKED_CHARS ? 0 : value.length);
  if (typeof value !== "object" || value === null) return MIN_COST;
  if (depth > MAX_DEPTH) return Infinity;
  let cost = MIN_COST;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    cost += maskingCost(one, most - cost, depth + 1);
    if (cost > most) break;
  }
  return cost;
}
