// Owns one process and its PTY: fork, master, held slave, the drain at its end. Knows no offsets or
// readers. Emits everything it read before `exited`. The slave is opened right after the fork and
// held open. Until it is closed the master cannot hang up, so no read races with the end: libuv
// drops unread bytes at a hang-up (in 10-40 % of short runs). Also owns the guard around a fork: no
// child may inherit another terminal's master. And the input of one PTY: order, partial writes, and
// a limit for programs that do not read.

import { closeSync, constants, openSync, readSync, readdirSync, writeSync } from "node:fs";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { ReadStream } from "node:tty";
import { MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { errorMessage } from "../errors.ts";
import { isOutOfDescriptors, OutOfDescriptors } from "../resource-errors.ts";
import { toExit, isSignal } from "./exit.ts";
import type { Log } from "./log.ts";
import type { ForkPlan } from "./native.ts";
import { forkPty, resizePty } from "./native.ts";

export interface PtyEvents {
  /** Fires with a view that is valid only during the call. */
  onBytes(chunk: Buffer): void;
  onExited(exit: Exit): void;
}

/**
 * A read of a master returns at most 4,095 bytes; libuv polls again after a read that was not full.
 */
const READ_BYTES = 4095;

/**
 * The kernel holds at most 640 KiB of unread output; anything beyond this comes from orphans that
 * continue to write, and the drain would never end.
 */
const DRAIN_LIMIT = 1 * MiB;

/**
 * Full reads before other terminals get a turn: libuv would read 32 times, which delays a key typed
 * elsewhere twice.
 */
const TURN_READS = 8;

/** Shared by all terminals: a read is passed on before the next one starts. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

export class Pty {
  readonly pid: number;
  readonly #fd: number;
  readonly #slave: number;
  readonly #master: ReadStream;
  readonly #input: InputQueue;
  readonly #events: PtyEvents;
  readonly #log: Log;
  #open = true;
  #isPaused = false;
  #ended = false;
  /** Number of full reads in this turn. */
  #reads = 0;

  /** Throws if no PTY or descriptor is available. */
  constructor(plan: ForkPlan, events: PtyEvents, log: Log) {
    const { fd, pid, pty } = withDescriptorPlugs(() =>
      forkPty(plan, (code, signal) => this.#exited(code, signal)),
    );
    this.#events = events;
    this.#log = log;
    this.#fd = fd;
    this.pid = pid;
    this.#input = new InputQueue(fd, log);
    try {
      this.#slave = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
    } catch (error) {
      this.#ended = true;
      process.kill(-pid, "SIGKILL");
      closeSync(fd);
      throw error;
    }
    this.#master = new ReadStream(fd, this.#readInto(readBuffer));
    this.#master.on("error", (error) => log("master-failed", { error: error.message }));
    this.#master.on("close", () => this.#closed());
    this.#master.resume();
  }

  /** Pauses or resumes reading; a program that prints into a full PTY waits in the kernel. */
  setPaused(isPaused: boolean): void {
    if (!this.#open || isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#master.pause();
    else this.#master.resume();
  }

  write(bytes: Uint8Array): void {
    if (this.#open) this.#input.write(bytes);
  }

  resize(cols: number, rows: number): void {
    if (this.#open) resizePty(this.#fd, cols, rows);
  }

  /** Signals the group that the process leads; not after its exit, as the id may be reused. */
  signal(name: string): void {
    if (this.#ended || !isSignal(name)) return;
    try {
      process.kill(-this.pid, name);
    } catch (error) {
      // ESRCH: it ended a moment ago, and its exit will follow.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
        this.#log("signal-failed", { signal: name, error: String(error) });
      }
    }
  }

  /** `tty` accepts the options of `net` (Node 20), but its types do not say so. */
  #readInto(buffer: Uint8Array): SocketConstructorOpts & { readonly onread: OnReadOpts } {
    return { onread: { buffer, callback: (count) => this.#read(count) } };
  }

  /** Handles a read; returns false if reading must pause. */
  #read(count: number): boolean {
    const isFull = count === READ_BYTES;
    this.#events.onBytes(isFull ? readBuffer : readBuffer.subarray(0, count));
    this.#reads = isFull ? this.#reads + 1 : 0;
    if (this.#reads < TURN_READS) return true;
    this.#reads = 0;
    setImmediate(() => {
      if (this.#open && !this.#isPaused) this.#master.resume();
    });
    return false;
  }

  #exited(code: number, signal: number): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#open) this.#drain();
    this.#master.destroy();
    this.#closed();
    this.#events.onExited(toExit(code, signal));
  }

  /** Reads until the kernel has no more, even while paused. */
  #drain(): void {
    for (let drained = 0; drained < DRAIN_LIMIT;) {
      const count = this.#readOnce();
      if (count === 0) return;
      drained += count;
      this.#read(count);
    }
    this.#log("drain-cut", { bytes: DRAIN_LIMIT });
  }

  #readOnce(): number {
    try {
      return readSync(this.#fd, readBuffer, 0, READ_BYTES, null);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EAGAIN") this.#log("drain-failed", { error: String(error) });
      return 0;
    }
  }

  #closed(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#input.close();
    closeSync(this.#slave);
  }
}

// forkpty opens masters without close-on-exec. node-pty marks the inherited ones in the child, but
// its loop ends at the first unused number above 15; once a terminal has ended there is a hole, and
// everything above it leaks (measured: a child could type into another terminal). So every hole is
// plugged during the fork. All file access of the host is synchronous: nothing opens a descriptor
// in between.

const DESCRIPTORS = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

function withDescriptorPlugs<T>(fork: () => T): T {
  const plugs: number[] = [];
  try {
    const highest = highestDescriptor();
    // The kernel assigns the lowest free number, so the first one above means no hole below.
    for (let plug = -1; plug <= highest; plugs.push(plug)) plug = openSync("/dev/null", "r");
    return fork();
  } catch (error) {
    // Checked while the holes are plugged: descriptors that are free otherwise did not help the
    // fork.
    throw isOutOfDescriptors() ? new OutOfDescriptors(errorMessage(error)) : error;
  } finally {
    for (const plug of plugs) closeSync(plug);
  }
}

function highestDescriptor(): number {
  let highest = 2;
  for (const name of readdirSync(DESCRIPTORS)) highest = Math.max(highest, Number(name));
  return highest;
}

// Writes directly to the descriptor: libuv's TTY writes to a master block the whole process.

/** More than any paste. Input beyond it is dropped as a whole, with a log entry. */
const QUEUE_LIMIT = 1 * MiB;

/** A master has no writable event: retries soon, then with growing delays. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 64;

class InputQueue {
  readonly #fd: number;
  readonly #log: Log;
  #pieces: Uint8Array[] = [];
  #queued = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;

  constructor(fd: number, log: Log) {
    this.#fd = fd;
    this.#log = log;
  }

  write(bytes: Uint8Array): void {
    const rest = this.#pieces.length === 0 ? this.#push(bytes) : bytes;
    if (rest.length === 0) return;
    if (this.#queued + rest.length > QUEUE_LIMIT) {
      this.#log("input-dropped", { bytes: rest.length, queued: this.#queued });
      return;
    }
    // A copy: a few typed bytes must not keep a whole socket read in memory.
    this.#pieces.push(rest.slice());
    this.#queued += rest.length;
    this.#retryLater();
  }

  /** Stops all writes: the descriptor's number may soon be reused. */
  close(): void {
    clearTimeout(this.#retry);
    this.#pieces = [];
    this.#queued = 0;
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#flush();
    }, this.#retryMs);
  }

  #flush(): void {
    const before = this.#queued;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const rest = this.#push(piece);
      this.#queued -= piece.length - rest.length;
      if (rest.length > 0) {
        this.#pieces[0] = rest;
        break;
      }
      this.#pieces.shift();
    }
    const moved = this.#queued < before;
    this.#retryMs = moved ? FIRST_RETRY_MS : Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    if (this.#pieces.length > 0) this.#retryLater();
  }

  /** Writes what the kernel takes now; returns the rest. */
  #push(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    while (rest.length > 0) {
      const written = this.#writeOnce(rest);
      if (written === 0) break;
      rest = rest.subarray(written);
    }
    return rest;
  }

  #writeOnce(bytes: Uint8Array): number {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EAGAIN" || code === "EINTR") return 0;
      this.#log("input-failed", { error: String(error) });
      return bytes.length;
    }
  }
}
