// Owns one small file that holds access decisions. A change that widens access is on disk before it
// counts, or is refused. A change that narrows access counts at once: it is written into reserved disk
// space and retried until that succeeds; until then `unsaved` reports it.

import { describeDiskProblem } from "../resource-errors.ts";
import { ExitCode, findSystemCode, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import {
  readOptionalFile,
  reserveSpace,
  writeIntoReserve,
  writePrivateFile,
} from "./private-file.ts";

/** How long a response waits for the disk before it reports that the change is not saved yet. */
export const SAVE_WAIT_MS = 2_000;

/** The first retry comes soon, in case the disk was full only for a moment. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;

/** Added to the file's own size: limiting or removing a person adds one entry of about 300 bytes. */
const RESERVE_SLACK = 8 << 10;
const BLOCK = 4 << 10;

/** The file system operations that a durable file needs. */
export interface FileSystem {
  readonly write: typeof writePrivateFile;
  readonly writeIntoReserve: typeof writeIntoReserve;
  readonly reserve: typeof reserveSpace;
}

const NODE_FILE_SYSTEM: FileSystem = {
  write: writePrivateFile,
  writeIntoReserve,
  reserve: reserveSpace,
};

/** A change that is in force in memory and that a crash now would undo. */
export interface UnsavedChange {
  /** The content, for people: "links and tokens". */
  readonly what: string;
  /** Absent where the missing copy is not a file but the pty host's. */
  readonly path?: string;
  /** The reason, for example "the disk is full". */
  readonly why: string;
  /** Unix ms. */
  readonly since: number;
}

/** A change was refused because it could not be written first. Nothing has changed. */
export class NotSavedError extends UserError {
  /** The message for people in the page, without the host's paths. */
  readonly pageMessage: string;

  constructor(consequence: string, path: string, why: string) {
    super(
      `${consequence}: ${path} cannot be written: ${why}`,
      ExitCode.unavailable,
      "Free some space there, then try again.",
    );
    this.pageMessage = `The host's machine could not save this (${why}): ${consequence}.`;
  }
}

export interface DurableFileOptions {
  readonly path: string;
  readonly what: string;
  readonly log: Pick<Log, "error" | "info">;
  readonly disk?: FileSystem | undefined;
  readonly now?: (() => number) | undefined;
}

export class DurableFile {
  readonly #options: DurableFileOptions;
  readonly #disk: FileSystem;
  #pending: { readonly text: string; readonly unsaved: UnsavedChange } | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #waiters: (() => void)[] = [];

  constructor(options: DurableFileOptions) {
    this.#options = options;
    this.#disk = options.disk ?? NODE_FILE_SYSTEM;
  }

  /** Returns the file's text, if any, and reserves the space that its next change may need. */
  read(): string | undefined {
    const text = readOptionalFile(this.#options.path);
    this.#tryToReserve(text ?? "");
    return text;
  }

  get unsaved(): UnsavedChange | undefined {
    return this.#pending?.unsaved;
  }

  /**
   * Writes a change that widens access, and reserves the space to undo it. Throws `NotSavedError` and leaves
   * the file unchanged if that fails.
   */
  widen(text: string, consequence: string): void {
    try {
      this.#disk.reserve(this.#reservePath, getReserveBytes(text));
      this.#disk.write(this.#options.path, text);
    } catch (error) {
      if (findSystemCode(error) === undefined) throw error;
      throw new NotSavedError(consequence, this.#options.path, describeDiskProblem(error));
    }
    this.#onSaved();
  }

  /** Writes a change that narrows access, now or as soon as the disk allows. Never throws. */
  narrow(text: string): void {
    this.#save(text);
  }

  /** Resolves when nothing is unsaved. */
  async saved(): Promise<void> {
    if (this.#pending !== undefined)
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
  }

  /** Tries a last time; a change that still cannot be written is lost, and logged. */
  dispose(): void {
    clearTimeout(this.#retryTimer);
    if (this.#pending === undefined) return;
    this.#save(this.#pending.text);
    clearTimeout(this.#retryTimer);
    if (this.#pending === undefined) return;
    const { why } = this.#pending.unsaved;
    this.#options.log.error(
      `${this.#options.path} was never written (${why}): ${UNDONE_AT_NEXT_START}`,
    );
  }

  #save(text: string): void {
    try {
      this.#write(text);
    } catch (error) {
      this.#onFailed(text, describeDiskProblem(error));
      return;
    }
    this.#onSaved();
    this.#tryToReserve(text);
  }

  /** Writes normally, else into the reserved space. */
  #write(text: string): void {
    const { path } = this.#options;
    try {
      this.#disk.write(path, text);
    } catch (error) {
      try {
        this.#disk.writeIntoReserve(this.#reservePath, path, text);
      } catch {
        // The first error is the one that the user can fix.
        throw error;
      }
    }
  }

  #onFailed(text: string, why: string): void {
    const { what, path, log, now = Date.now } = this.#options;
    if (this.#pending === undefined) {
      log.error(
        `${path} cannot be written: ${why}. A change to ${what} is in force and pairpty keeps retrying to save it; ` +
          `if pairpty or the machine crashes first, ${UNDONE_AT_NEXT_START}`,
      );
    }
    const since = this.#pending?.unsaved.since ?? now();
    this.#pending = { text, unsaved: { what, path, why, since } };
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#retryNow(), this.#retryMs).unref();
  }

  #retryNow(): void {
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    if (this.#pending !== undefined) this.#save(this.#pending.text);
  }

  #onSaved(): void {
    clearTimeout(this.#retryTimer);
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    this.#options.log.info(`${this.#options.path} is saved again`);
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  get #reservePath(): string {
    return `${this.#options.path}.reserve`;
  }

  /** Reserves space. Without it, the next narrowing change needs free space like any other. */
  #tryToReserve(text: string): void {
    try {
      this.#disk.reserve(this.#reservePath, getReserveBytes(text));
    } catch (error) {
      if (findSystemCode(error) === undefined) throw error;
      this.#options.log.error(
        `could not reserve disk space beside ${this.#options.path}: ${describeDiskProblem(error)}`,
      );
    }
  }
}

const UNDONE_AT_NEXT_START = "revoked access is back after the next start";

function getReserveBytes(text: string): number {
  const bytes = Buffer.byteLength(text) + RESERVE_SLACK;
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** A store whose last change can be awaited until a crash would not undo it. */
export type Saveable = Pick<DurableFile, "saved" | "unsaved">;

/** Resolves when all are saved or the time is over; returns those that are still unsaved. */
export async function awaitSaved(
  files: readonly Saveable[],
  milliseconds: number = SAVE_WAIT_MS,
): Promise<UnsavedChange[]> {
  const pending = files.filter(({ unsaved }) => unsaved !== undefined);
  if (pending.length > 0) {
    let timer: NodeJS.Timeout | undefined;
    const wait = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([Promise.all(pending.map((file) => file.saved())), wait]);
    clearTimeout(timer);
  }
  return pending.flatMap(({ unsaved }) => unsaved ?? []);
}

/** Throws (exit code 5) if a change is in force but not on disk; `done` describes the change. */
export function throwUnsaved(done: string, unsaved: readonly UnsavedChange[]): void {
  const [first] = unsaved;
  if (first === undefined) return;
  const all = unsaved.map(formatUnsaved).join("; ");
  throw new UserError(
    `${done}. But this is not saved yet: ${all}`,
    ExitCode.unavailable,
    first.path === undefined
      ? "If pairpty crashes before that, it is undone at the next start. Try again in a moment."
      : "pairpty keeps trying: free some space there; `pairpty status` shows when it is saved. " +
          "If pairpty or the machine stops before that, it is undone at the next start.",
  );
}

export function formatUnsaved({ path, why }: UnsavedChange): string {
  return path === undefined ? why : `${path} cannot be written: ${why}`;
}

/** Returns the page's toast for a change that is in force but not saved; undefined if it is saved. */
export function formatUnsavedForPage([first]: readonly UnsavedChange[]): string | undefined {
  if (first === undefined) return undefined;
  return `This is in force now, but the host's machine could not save it yet (${first.why}). If pairpty stops before it can, this is undone.`;
}
