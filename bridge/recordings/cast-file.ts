// Owns the file of one recording: made anew for its user alone, or found again by the next bridge;
// lines leave in batches, without anybody's waiting, and none beyond its limit.

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { systemCode } from "../errors.ts";

/** Lines of so long go in one write; a bridge that is killed loses as much. */
const BATCH_MS = 50;

/** Kept for the last words of a recording that has reached its limit. */
const LAST_WORDS = 2_048;

/** How far from its end a file's last whole line is sought. */
const TAIL_BYTES = 1 << 20;
const LF = 10;

export interface FileEvents {
  /** Nothing waits to be written any more. */
  readonly drained: () => void;
  /** It is closed, and what was not written is lost; once. */
  readonly failed: (error: unknown) => void;
}

/** How bytes get to the disk. */
export interface Disk {
  readonly write: (
    fd: number,
    bytes: Buffer,
    position: number,
    done: (error: Error | null, written: number) => void,
  ) => void;
  readonly writeNow: (fd: number, bytes: Buffer, position: number) => number;
}

const DISK: Disk = {
  write: (fd, bytes, position, done) => write(fd, bytes, 0, bytes.length, position, done),
  writeNow: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
};

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** What is at a recording's path is not what a bridge before this one wrote to. */
export class AnotherFile extends Error {}

export class CastFile {
  /** The same for the next bridge, as long as it is the same file in the same place. */
  readonly identity: string;
  readonly #fd: number;
  readonly #limit: number;
  readonly #events: FileEvents;
  readonly #disk: Disk;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** On its way to the disk, from `#position` on. */
  #leaving: Buffer | undefined;
  #position: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(fd: number, position: number, limit: number, events: FileEvents, disk: Disk) {
    this.identity = identityOf(fd);
    this.#fd = fd;
    this.#disk = disk;
    this.#position = position;
    this.#limit = limit;
    this.#events = events;
  }

  /**
   * Its header is in it at once. Throws the system's error where there is a file already, or a link;
   * where there is no room for the header, nothing is left.
   */
  static create(
    path: string,
    header: string,
    limit: number,
    events: FileEvents,
    disk = DISK,
  ): CastFile {
    const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      const bytes = Buffer.from(header);
      writeWhole(disk, fd, bytes, 0);
      return new CastFile(fd, bytes.length, limit, events, disk);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
  }

  /**
   * Behind its last whole line; `quietMs`: how long ago that was written. Throws where it is not the
   * file of that identity any more.
   */
  static reopen(
    path: string,
    identity: string | undefined,
    limit: number,
    events: FileEvents,
  ): { readonly file: CastFile; readonly quietMs: number } {
    const fd = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (identityOf(fd) !== identity) throw new AnotherFile(`another file is at ${path} now`);
      const { size, mtimeMs } = fstatSync(fd);
      const end = lastLineEnd(fd, size);
      if (end < size) ftruncateSync(fd, end);
      const quietMs = Math.max(0, Date.now() - mtimeMs);
      return { file: new CastFile(fd, end, limit, events, DISK), quietMs };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get size(): number {
    return this.#position + (this.#leaving?.length ?? 0) + this.#waitingBytes;
  }

  /** Not written yet. */
  get pending(): number {
    return this.#waitingBytes + (this.#leaving?.length ?? 0);
  }

  /** False where it would be too long; then it is left out. */
  append(line: string, isLast = false): boolean {
    if (this.#isClosed) return false;
    const bytes = Buffer.byteLength(line);
    if (this.size + bytes > this.#limit - (isLast ? 0 : LAST_WORDS)) return false;
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#leaving === undefined) this.#timer ??= setTimeout(() => this.#leave(), BATCH_MS);
    return true;
  }

  /**
   * At once, with everything that waits: the process may end behind it. False where the disk did not
   * take it all, which is told as a failure, too.
   */
  close(): boolean {
    if (this.#isClosed) return true;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // What is on its way is written once more, at the same place: it may not get there.
    const rest = Buffer.concat([this.#leaving ?? Buffer.alloc(0), this.#batch()]);
    try {
      writeWhole(this.#disk, this.#fd, rest, this.#position);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#letGo();
      this.#events.failed(error);
      return false;
    }
    this.#letGo();
    return true;
  }

  #leave(): void {
    this.#timer = undefined;
    this.#leaving = this.#batch();
    this.#write(this.#leaving);
  }

  #write(bytes: Buffer): void {
    this.#disk.write(this.#fd, bytes, this.#position, (error, written) => {
      this.#leaving = undefined;
      if (this.#isClosed) return this.#letGo();
      if (error !== null) return this.#fail(error);
      this.#position += written;
      if (written < bytes.length) {
        this.#leaving = bytes.subarray(written);
        return this.#write(this.#leaving);
      }
      if (this.#waiting.length > 0) return this.#leave();
      return this.#events.drained();
    });
  }

  #fail(error: Error): void {
    this.#isClosed = true;
    this.#batch();
    this.#letGo();
    this.#events.failed(error);
  }

  /** Not while a write is under way: its descriptor could be another file's by then. */
  #letGo(): void {
    if (this.#leaving !== undefined) return;
    try {
      closeSync(this.#fd);
    } catch (error) {
      // A disk that reports late what it could not keep: there is nothing left to do with the file.
      if (systemCode(error) === undefined) throw error;
    }
  }

  #batch(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}

/** With the path that leads to it without links: a number alone may be another file's later. */
function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}:${readlinkSync(`/proc/self/fd/${fd}`)}`;
}

function writeWhole(disk: Disk, fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length;) at += disk.writeNow(fd, bytes.subarray(at), position + at);
}

function lastLineEnd(fd: number, size: number): number {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - from);
  readSync(fd, tail, 0, tail.length, from);
  return from + tail.lastIndexOf(LF) + 1;
}
