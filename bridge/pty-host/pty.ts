// Owns one process and its PTY: fork, master, held slave, the drain at its end. Knows no offsets or
// readers. Emits everything it read before `exited`.
//
// The slave is opened right after the fork and held open. Until it is closed the master cannot hang
// up, so no read races with the end: libuv drops unread bytes at a hang-up (in 10-40 % of short
// runs).

import { closeSync, constants, openSync, readSync } from "node:fs";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { ReadStream } from "node:tty";
import { MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { withDescriptorPlugs } from "./descriptor-plugs.ts";
import { toExit, isSignal } from "./exit.ts";
import { InputQueue } from "./input-queue.ts";
import type { Log } from "./log.ts";
import { forkPty, resizePty } from "./native.ts";
import type { ForkPlan } from "./native.ts";

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
