// Owns the file of one recording: created for its user only, or reopened by the next bridge. Lines
// are written asynchronously in batches, within a size limit.

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
import { findSystemCode } from "../errors.ts";

/** Time of a batch; a killed bridge loses as much. */
const BATCH_MS = 50;

/** Bytes reserved for the last events of a recording at its limit. */
const RESERVED_BYTES = 2_048;

/** How far from its end to search for the last whole line of a file. */
const TAIL_BYTES = 1 << 20;
const LF = 10;

export interface FileEvents {
  /** Fires when everything has been written. */
  readonly onDrained: () => void;
  /** Fires once when a write failed; the file is closed and unwritten lines are lost. */
  readonly onFailed: (error: unknown) => void;
}

/** Access to the disk, injected for tests. */
export interface DiskWriter {
  readonly write: (
    fd: number,
    bytes: Buffer,
    position: number,
    done: (error: Error | null, written: number) => void,
  ) => void;
  readonly writeNow: (fd: number, bytes: Buffer, position: number) => number;
}

const DISK: DiskWriter = {
  write: (fd, bytes, position, done) => write(fd, bytes, 0, bytes.length, position, done),
  writeNow: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
};

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The file at a recording's path differs from the one that an earlier bridge wrote. */
export class ReplacedFileError extends Error {}

export class CastFile {
  /** Stays the same for the next bridge as long as the same file is at the same path. */
  readonly identity: string;
  readonly #fd: number;
  readonly #limit: number;
  readonly #events: FileEvents;
  readonly #disk: DiskWriter;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Bytes being written, from `#position` on. */
  #inFlight: Buffer | undefined;
  #position: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(
    fd: number,
    position: number,
    limit: number,
    events: FileEvents,
    disk: DiskWriter,
  ) {
    this.identity = getIdentity(fd);
    this.#fd = fd;
    this.#disk = disk;
    this.#position = position;
    this.#limit = limit;
    this.#events = events;
  }

  /** Creates the file with its header, or nothing. Throws if the path exists or is a link. */
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
      writeAll(disk, fd, bytes, 0);
      return new CastFile(fd, bytes.length, limit, events, disk);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
  }

  /** Opens a file after its last whole line, `quietMs` old. Throws if its identity differs. */
  static reopen(
    path: string,
    identity: string | undefined,
    limit: number,
    events: FileEvents,
  ): { readonly file: CastFile; readonly quietMs: number } {
    const fd = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (getIdentity(fd) !== identity)
        throw new ReplacedFileError(`another file is at ${path} now`);
      const { size, mtimeMs } = fstatSync(fd);
      const end = findLastLineEnd(fd, size);
      if (end < size) ftruncateSync(fd, end);
      const quietMs = Math.max(0, Date.now() - mtimeMs);
      return { file: new CastFile(fd, end, limit, events, DISK), quietMs };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get size(): number {
    return this.#position + (this.#inFlight?.length ?? 0) + this.#waitingBytes;
  }

  /** Returns the number of unwritten bytes. */
  get pending(): number {
    return this.#waitingBytes + (this.#inFlight?.length ?? 0);
  }

  /** Queues a line; returns false, without it, if the file would exceed its limit. */
  append(line: string, isLast = false): boolean {
    if (this.#isClosed) return false;
    const bytes = Buffer.byteLength(line);
    if (this.size + bytes > this.#limit - (isLast ? 0 : RESERVED_BYTES)) return false;
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#inFlight === undefined)
      this.#timer ??= setTimeout(() => this.#startWrite(), BATCH_MS);
    return true;
  }

  /**
   * Closes synchronously with everything queued, since the process may end. Returns false, and
   * fires `failed`, if the disk did not take it all.
   */
  close(): boolean {
    if (this.#isClosed) return true;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Writes the bytes in flight again, at the same position: the pending write may not complete.
    const rest = Buffer.concat([this.#inFlight ?? Buffer.alloc(0), this.#takeBatch()]);
    try {
      writeAll(this.#disk, this.#fd, rest, this.#position);
    } catch (error) {
      if (findSystemCode(error) === undefined) throw error;
      this.#release();
      this.#events.onFailed(error);
      return false;
    }
    this.#release();
    return true;
  }

  #startWrite(): void {
    this.#timer = undefined;
    this.#inFlight = this.#takeBatch();
    this.#write(this.#inFlight);
  }

  #write(bytes: Buffer): void {
    this.#disk.write(this.#fd, bytes, this.#position, (error, written) => {
      this.#inFlight = undefined;
      if (this.#isClosed) return this.#release();
      if (error !== null) return this.#fail(error);
      this.#position += written;
      if (written < bytes.length) {
        this.#inFlight = bytes.subarray(written);
        return this.#write(this.#inFlight);
      }
      if (this.#waiting.length > 0) return this.#startWrite();
      return this.#events.onDrained();
    });
  }

  #fail(error: Error): void {
    this.#isClosed = true;
    this.#takeBatch();
    this.#release();
    this.#events.onFailed(error);
  }

  /** Closes the descriptor, but not during a write: its number could be reused by another file. */
  #release(): void {
    if (this.#inFlight !== undefined) return;
    try {
      closeSync(this.#fd);
    } catch (error) {
      // The disk reports a late failure: nothing can be done with the file any longer.
      if (findSystemCode(error) === undefined) throw error;
    }
  }

  #takeBatch(): Buffer {
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}

/** Returns device, inode and resolved path: an inode alone may be reused. */
function getIdentity(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  return `${dev}:${ino}:${readlinkSync(`/proc/self/fd/${fd}`)}`;
}

function writeAll(disk: DiskWriter, fd: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length;) at += disk.writeNow(fd, bytes.subarray(at), position + at);
}

function findLastLineEnd(fd: number, size: number): number {
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - from);
  readSync(fd, tail, 0, tail.length, from);
  return from + tail.lastIndexOf(LF) + 1;
}
