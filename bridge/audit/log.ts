// Owns the audit log: one JSON line for every call of an agent, every verdict, every change of a
// terminal, person, approval or grant, and every link given out. The file rotates like the other
// logs.

import { cut } from "../logs/cut.ts";
import { logFiles, rotatingFile } from "../logs/rotating-file.ts";
import { Listeners } from "../listeners.ts";
import { leftOut, maskValue, MOST_READ } from "../secrets/mask.ts";
import type { Page, PageWish } from "./pages.ts";
import { readPage } from "./pages.ts";

/** Five files of this size hold weeks of a busy agent's work. */
const MOST_BYTES = 4 << 20;
const FILES_KEPT = 5;
/** Longer texts are cut to keep a line readable. */
const MOST_TEXT = 500;
/** A longer line loses its arguments, so that a few calls cannot rotate the log's history away. */
const MOST_LINE = 8_000;
/**
 * Arguments that cost more are left out: masking this much blocks the event loop for up to 0.1 s.
 */
const MOST_COST = 4 * MOST_READ;
/** Cost of the shortest text: about 20 patterns are tried on each. */
const LEAST_COST = 64;
/** Deeper nesting counts as infinite cost: a few thousand levels would overflow the stack. */
const MOST_DEPTH = 100;
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
  readonly #lines = new Listeners<[string]>();

  constructor(path: string, onProblem: (problem: string) => void) {
    this.#path = path;
    this.#write = rotatingFile({
      path,
      mostBytes: MOST_BYTES,
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
    this.#lines.tell(line);
  }

  /** Subscribes to each line written. */
  onLine(listener: (line: string) => void): () => void {
    return this.#lines.add(listener);
  }

  page(wish: PageWish): Page {
    return readPage(AuditLog.files(this.#path), wish);
  }

  /** Returns the files from oldest to newest, whether they exist or not. */
  static files(path: string): string[] {
    return logFiles(path, FILES_KEPT);
  }
}

function now(): string {
  return new Date().toISOString();
}

function toLine(entry: AuditEntry & { readonly at: string }): string {
  if (costOf(entry.arguments, MOST_COST) > MOST_COST) {
    return toLine({ ...entry, arguments: TOO_MUCH });
  }
  const line = JSON.stringify(maskValue(entry), (_key, value: unknown) =>
    typeof value === "string" ? cut(value, MOST_TEXT) : value,
  );
  if (line.length <= MOST_LINE) return line;
  return toLine({ ...entry, why: [], arguments: leftOut(line.length) });
}

/** Estimates the cost of masking a value; stops beyond `most`. Omitted texts cost the minimum. */
function costOf(value: unknown, most: number, depth = 0): number {
  if (typeof value === "string") return LEAST_COST + (value.length > MOST_READ ? 0 : value.length);
  if (typeof value !== "object" || value === null) return LEAST_COST;
  if (depth > MOST_DEPTH) return Infinity;
  let cost = LEAST_COST;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    cost += costOf(one, most - cost, depth + 1);
    if (cost > most) break;
  }
  return cost;
}
