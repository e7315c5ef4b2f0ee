// Owns one small file that says who may do what, and the difference between two kinds of change. One
// that gives somebody more is on the disk before it counts, or is refused. One that takes something
// away counts at once, whatever the disk does: it is written in room that was reserved for it, and
// again and again until that succeeds. Until then `unsaved` says so, and nobody calls it done.

import { describeDiskProblem } from "../disk.ts";
import { ExitCode, systemCode, UserError } from "../errors.ts";
import type { Log } from "../log.ts";
import {
  readOptionalFile,
  reserveRoom,
  writeIntoReserve,
  writePrivateFile,
} from "./private-file.ts";

/** How long an answer waits for the disk before it says that the change is not saved yet. */
export const SAVE_WAIT_MS = 2_000;

/** The first retry comes soon, for a disk that was full for a moment; the later ones cost nothing. */
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;

/** Beyond the file's own size: a limited or removed person is one entry more, of about 300 bytes. */
const RESERVE_SLACK = 8 << 10;
const BLOCK = 4 << 10;

/** The file system, as far as a durable file needs it. */
export interface Disk {
  readonly write: typeof writePrivateFile;
  readonly writeIntoReserve: typeof writeIntoReserve;
  readonly reserve: typeof reserveRoom;
}

const DISK: Disk = { write: writePrivateFile, writeIntoReserve, reserve: reserveRoom };

/** A change that holds in memory and would be undone by a crash now. */
export interface Unsaved {
  /** What is kept there: "links and tokens". */
  readonly what: string;
  /** Absent where it is not a file that is waited for. */
  readonly path?: string;
  /** "the disk is full" */
  readonly why: string;
  /** Unix ms. */
  readonly since: number;
}

/** A change that was refused because it could not be written first. Nothing has changed. */
export class NotSaved extends UserError {
  /** The same for people in the page, who have no use for the host's paths. */
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
  readonly disk?: Disk | undefined;
  readonly now?: (() => number) | undefined;
}

export class DurableFile {
  readonly #options: DurableFileOptions;
  readonly #disk: Disk;
  #pending: { readonly text: string; readonly unsaved: Unsaved } | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #waiting: (() => void)[] = [];

  constructor(options: DurableFileOptions) {
    this.#options = options;
    this.#disk = options.disk ?? DISK;
  }

  /** Returns the file's text, if there is one, and takes the room that its next change may need. */
  read(): string | undefined {
    const text = readOptionalFile(this.#options.path);
    this.#tryToReserve(text ?? "");
    return text;
  }

  get unsaved(): Unsaved | undefined {
    return this.#pending?.unsaved;
  }

  /**
   * Writes a change that gives somebody more, and room for taking it away again. Throws `NotSaved`,
   * which begins with the consequence, where that is not possible: then the file is as it was.
   */
  widen(text: string, consequence: string): void {
    try {
      this.#disk.reserve(this.#reservePath, reserveFor(text));
      this.#disk.write(this.#options.path, text);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw new NotSaved(consequence, this.#options.path, describeDiskProblem(error));
    }
    this.#saved();
  }

  /** Writes a change that takes something away, now or as soon as the disk allows. Never throws. */
  narrow(text: string): void {
    this.#save(text);
  }

  /** Resolves when nothing is unsaved. */
  async saved(): Promise<void> {
    if (this.#pending !== undefined) await new Promise<void>((go) => void this.#waiting.push(go));
  }

  /** Tries a last time; what is not on the disk then is lost, and the log says so. */
  dispose(): void {
    clearTimeout(this.#retry);
    if (this.#pending === undefined) return;
    this.#save(this.#pending.text);
    clearTimeout(this.#retry);
    if (this.#pending === undefined) return;
    const { why } = this.#pending.unsaved;
    this.#options.log.error(
      `${this.#options.path} was never written (${why}): ${UNDONE_AFTER_START}`,
    );
  }

  #save(text: string): void {
    try {
      this.#write(text);
    } catch (error) {
      this.#failed(text, describeDiskProblem(error));
      return;
    }
    this.#saved();
    this.#tryToReserve(text);
  }

  /** With what is free, else with what was reserved. */
  #write(text: string): void {
    const { path } = this.#options;
    try {
      this.#disk.write(path, text);
    } catch (error) {
      try {
        this.#disk.writeIntoReserve(this.#reservePath, path, text);
      } catch {
        // Why it did not work without the reserve is what its user can do something about.
        throw error;
      }
    }
  }

  #failed(text: string, why: string): void {
    const { what, path, log, now = Date.now } = this.#options;
    if (this.#pending === undefined) {
      log.error(
        `${path} cannot be written: ${why}. A change to ${what} holds now and is retried; ` +
          `if pairpty or the machine crashes before, ${UNDONE_AFTER_START}`,
      );
    }
    const since = this.#pending?.unsaved.since ?? now();
    this.#pending = { text, unsaved: { what, path, why, since } };
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#again(), this.#retryMs).unref();
  }

  #again(): void {
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    if (this.#pending !== undefined) this.#save(this.#pending.text);
  }

  #saved(): void {
    clearTimeout(this.#retry);
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    this.#options.log.info(`${this.#options.path} is written now; nothing is unsaved there`);
    for (const go of this.#waiting.splice(0)) go();
  }

  get #reservePath(): string {
    return `${this.#options.path}.reserve`;
  }

  /** Without a reserve the next change that takes something away needs room like any other. */
  #tryToReserve(text: string): void {
    try {
      this.#disk.reserve(this.#reservePath, reserveFor(text));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#options.log.error(
        `no room could be reserved beside ${this.#options.path}: ${describeDiskProblem(error)}`,
      );
    }
  }
}

const UNDONE_AFTER_START = "what was taken away is back after the next start";

function reserveFor(text: string): number {
  const bytes = Buffer.byteLength(text) + RESERVE_SLACK;
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** What can be waited for, until a crash would not undo its last change. */
export type Saving = Pick<DurableFile, "saved" | "unsaved">;

/** Resolves when all of these are saved or the time is over, with those that are not. */
export async function awaitSaved(
  files: readonly Saving[],
  milliseconds: number = SAVE_WAIT_MS,
): Promise<Unsaved[]> {
  const late = files.filter(({ unsaved }) => unsaved !== undefined);
  if (late.length > 0) {
    let timer: NodeJS.Timeout | undefined;
    const wait = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([Promise.all(late.map((file) => file.saved())), wait]);
    clearTimeout(timer);
  }
  return late.flatMap(({ unsaved }) => unsaved ?? []);
}

/** Throws (exit code 5) where a change that holds already is not on the disk: `done` says what holds. */
export function throwUnsaved(done: string, unsaved: readonly Unsaved[]): void {
  const [first] = unsaved;
  if (first === undefined) return;
  const all = unsaved.map(formatUnsaved).join("; ");
  throw new UserError(
    `${done}. But this is not saved yet: ${all}`,
    ExitCode.unavailable,
    first.path === undefined
      ? "If pairpty crashes before that, it is undone at the next start. Try again in a moment."
      : "pairpty keeps trying: free some space there; `pairpty status` says when it is saved. " +
          "If pairpty or the machine stops before that, it is undone at the next start.",
  );
}

export function formatUnsaved({ path, why }: Unsaved): string {
  return path === undefined ? why : `${path} cannot be written: ${why}`;
}

/** The toast of somebody in the page whose change holds and is not saved; undefined where it is. */
export function formatUnsavedForPage([first]: readonly Unsaved[]): string | undefined {
  if (first === undefined) return undefined;
  return `Done, and in force now. But the host's machine could not save it yet (${first.why}): if pairpty stops there before it can, this is undone.`;
}
