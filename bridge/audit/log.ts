// Owns the audit log: one JSON line for every call of an agent, every verdict, and every change of
// a terminal, person, approval or grant, and for links given out. Its file rotates like every log.

import { cut } from "../logs/cut.ts";
import { logFiles, rotatingFile } from "../logs/rotating-file.ts";
import { Listeners } from "../listeners.ts";
import { leftOut, maskValue, MOST_READ } from "../secrets/mask.ts";
import type { Page, PageWish } from "./pages.ts";
import { readPage } from "./pages.ts";

/** Five files of this size are weeks of an eager agent's work. */
const MOST_BYTES = 4 << 20;
const FILES_KEPT = 5;
/** A longer text is cut, so that a line stays a line one can read. */
const MOST_TEXT = 500;
/** A longer line loses its arguments: nobody may push the log's past out of it with a few calls. */
const MOST_LINE = 8_000;
/** Arguments that cost more (`costOf`) are left out: this much takes up to 0.1 s, and nothing else runs. */
const MOST_COST = 4 * MOST_READ;
/** A text of one character costs as much time as one of so many: 20 patterns are tried on each. */
const LEAST_COST = 64;
/** What is nested deeper costs too much: a few thousand levels are more than the stack takes. */
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
      // Its folder is the workspace's state, and whoever removes that means it.
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

  /** Each line that is written from now on. */
  onLine(listener: (line: string) => void): () => void {
    return this.#lines.add(listener);
  }

  page(wish: PageWish): Page {
    return readPage(AuditLog.files(this.#path), wish);
  }

  /** The files from oldest to newest, whether they exist or not. */
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

/** What it takes to mask a value, as far as `most`; texts that are left out take nothing. */
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
