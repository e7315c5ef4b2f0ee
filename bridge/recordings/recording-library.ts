// Owns the folder of recordings: lists, describes and removes them.

import { randomBytes } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readCastStart } from "../../protocol/asciicast.ts";
import type { RecordingRow } from "../../protocol/http.ts";
import { findSystemCode } from "../errors.ts";
import { makeFolder } from "../workspace/private-file.ts";

const ID = /^\d{8}-\d{6}-[0-9a-f]{4}$/;
const EXTENSION = ".cast";
/** A title is one line of a terminal, so a header is not longer. */
const HEADER_BYTES = 8_192;

/** Limit of the list: files added by hand must not slow it down. */
export const MAX_RECORDINGS = 1_000;

type Start = NonNullable<ReturnType<typeof readCastStart>>;

export class RecordingLibrary {
  readonly #folder: string;
  /** Cached headers, which do not change; with the inode, since a name may be reused. */
  readonly #starts = new Map<string, { readonly inode: number; readonly start: Start }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns an unused name and its path; creates the folder. */
  createPath(now: number): { readonly id: string; readonly path: string } {
    makeFolder(this.#folder);
    const day = new Date(now).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
    const id = `${day}-${randomBytes(2).toString("hex")}`;
    return { id, path: this.#getPath(id) };
  }

  /** Returns the path of a recording; undefined if there is none of this id. */
  find(id: string): string | undefined {
    return ID.test(id) && this.#read(id) !== undefined ? this.#getPath(id) : undefined;
  }

  /** Lists the recordings, newest first. */
  list(isRunning: (path: string) => boolean): RecordingRow[] {
    const ids = this.#ids().slice(0, MAX_RECORDINGS);
    const rows = ids.flatMap((id) => {
      const row = this.#read(id);
      if (row === undefined) return [];
      return isRunning(this.#getPath(id)) ? { ...row, running: true as const } : row;
    });
    this.#dropOthers(new Set(ids));
    return rows;
  }

  remove(id: string): boolean {
    const path = this.find(id);
    if (path !== undefined) rmSync(path, { force: true });
    return path !== undefined;
  }

  get count(): number {
    return this.#ids().length;
  }

  /** Returns the total size of all recordings except `paths`. */
  sizeWithout(paths: ReadonlySet<string>): number {
    const counted = this.#ids().map((id) => this.#getPath(id));
    return counted
      .filter((path) => !paths.has(path))
      .reduce((sum, path) => sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  #ids(): string[] {
    try {
      const names = readdirSync(this.#folder).filter((name) => name.endsWith(EXTENSION));
      const ids = names.map((name) => name.slice(0, -EXTENSION.length));
      return ids.filter((id) => ID.test(id)).toSorted((a, b) => b.localeCompare(a));
    } catch (error) {
      if (findSystemCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  #read(id: string): RecordingRow | undefined {
    const found = lstatSync(this.#getPath(id), { throwIfNoEntry: false });
    if (found?.isFile() !== true) return undefined;
    const { size, mtimeMs, birthtimeMs, ino } = found;
    const start = this.#getStart(id, ino);
    if (start === undefined) return undefined;
    // A header has whole seconds; the file's creation time is more exact.
    const isMoment = Math.floor(birthtimeMs / 1_000) * 1_000 === start.startedAt;
    const from = isMoment ? birthtimeMs : start.startedAt;
    const seconds = Math.max(0, Math.floor((mtimeMs - from) / 1_000));
    return { id, ...start, bytes: size, seconds };
  }

  #getStart(id: string, inode: number): Start | undefined {
    const known = this.#starts.get(id);
    if (known?.inode === inode) return known.start;
    const start = readStart(this.#getPath(id));
    if (start !== undefined) this.#starts.set(id, { inode, start });
    return start;
  }

  #dropOthers(ids: ReadonlySet<string>): void {
    for (const id of this.#starts.keys()) if (!ids.has(id)) this.#starts.delete(id);
  }

  #getPath(id: string): string {
    return join(this.#folder, `${id}${EXTENSION}`);
  }
}

function readStart(path: string): Start | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // Removed since it was listed, a link, or unreadable: not a recording.
    if (findSystemCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    const length = readSync(fd, head, 0, head.length, 0);
    return readCastStart(head.toString("utf8", 0, length).split("\n", 1)[0] ?? "");
  } finally {
    closeSync(fd);
  }
}
