// Owns the audit log: one JSON line for every call of an agent, every verdict, and every change of
// a terminal, person, approval or grant, and for links given out. Its file rotates like every log.

import { cut } from "../logs/cut.ts";
import { logFiles, rotatingFile } from "../logs/rotating-file.ts";
import { Listeners } from "../listeners.ts";
import { maskValue } from "../secrets/mask.ts";
import type { Page, PageWish } from "./pages.ts";
import { readPage } from "./pages.ts";

/** Five files of this size are weeks of an eager agent's work. */
const MOST_BYTES = 4 << 20;
const FILES_KEPT = 5;
/** A longer text is cut, so that a line stays a line one can read. */
const MOST_TEXT = 500;
/** A longer line loses its arguments: nobody may push the log's past out of it with a few calls. */
const MOST_LINE = 8_000;

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
  const line = jsonOf(entry);
  if (line === undefined) return toLine({ ...entry, arguments: "(too deep, left out)" });
  if (line.length <= MOST_LINE) return line;
  return toLine({ ...entry, why: [], arguments: `(${line.length} characters, left out)` });
}

/** Undefined where an agent's arguments are deeper than the stack. */
function jsonOf(entry: AuditEntry): string | undefined {
  try {
    return JSON.stringify(maskValue(entry), (_key, value: unknown) =>
      typeof value === "string" ? cut(value, MOST_TEXT) : value,
    );
  } catch (error) {
    if (error instanceof RangeError && typeof entry.arguments === "object") return undefined;
    throw error;
  }
}
