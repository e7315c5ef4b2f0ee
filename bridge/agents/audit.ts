// Owns the audit log: one JSON line for every call of an agent and every change of a grant, only
// ever appended to, rotated by size, readable by its user alone.

import { appendFileSync, renameSync, rmSync, statSync } from "node:fs";
import { Ends } from "../ends.ts";
import type { GrantTable } from "../grants/table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { maskValue } from "./mask.ts";

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

/** Writes down what happens in the room whoever does it: terminals and grants. Returns its end. */
export function auditRoom(
  audit: Pick<AuditLog, "write">,
  pool: Pick<TerminalPool, "onEvent">,
  grants: Pick<GrantTable, "onEvent">,
): () => void {
  const ends = new Ends();
  ends.own(
    pool.onEvent(({ event, terminal: { id, owner, cwd, command } }) => {
      if (event === "output") return;
      audit.write({ event: `terminal ${event}`, terminal: id, arguments: { owner, cwd, command } });
    }),
    grants.onEvent(({ event, grant: { id, label, role, scopes, expiresAt } }) => {
      if (event === "renewed") return;
      audit.write({
        event: `grant ${event}`,
        grant: id,
        label,
        arguments: { role, scopes, expiresAt },
      });
    }),
  );
  return () => ends.dispose();
}

export class AuditLog {
  readonly path: string;
  readonly #onProblem: (problem: string) => void;

  constructor(path: string, onProblem: (problem: string) => void) {
    this.path = path;
    this.#onProblem = onProblem;
  }

  write(entry: AuditEntry): void {
    const line = toLine({ at: new Date().toISOString(), ...entry });
    try {
      this.#rotate();
      appendFileSync(this.path, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      this.#onProblem(error instanceof Error ? error.message : String(error));
    }
  }

  /** The files from oldest to newest, whether they exist or not. */
  static files(path: string): string[] {
    const older = Array.from({ length: FILES_KEPT - 1 }, (_, index) => `${path}.${index + 1}`);
    return [...older.toReversed(), path];
  }

  #rotate(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < MOST_BYTES) return;
    const [oldest, ...rest] = AuditLog.files(this.path);
    if (oldest !== undefined) rmSync(oldest, { force: true });
    let target = oldest;
    for (const file of rest) {
      if (target !== undefined && statSync(file, { throwIfNoEntry: false }) !== undefined) {
        renameSync(file, target);
      }
      target = file;
    }
  }
}

function toLine(entry: AuditEntry & { readonly at: string }): string {
  const line = JSON.stringify(maskValue(entry), (_key, value: unknown) =>
    typeof value === "string" && value.length > MOST_TEXT
      ? `${value.slice(0, MOST_TEXT)}… (${value.length} characters)`
      : value,
  );
  if (line.length <= MOST_LINE) return line;
  return toLine({ ...entry, why: [], arguments: `(${line.length} characters, left out)` });
}
