// Owns real pipes for the output of commands. Node's own are sockets, which a program cannot
// reopen: `echo x > /dev/stderr` would fail. Some are made ahead, so that no command waits.

import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Both ends of a pipe; the taker closes them. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** Enough for four commands at once; more are made while these run. */
const PREPARED_PIPES = 8;

const run = promisify(execFile);

export class Pipes {
  #stock: Pipe[] = [];
  #making: Promise<void> | undefined;
  #closed = false;

  /** Returns pipes for stdout and stderr. Throws without `mkfifo`, or without descriptors. */
  async take(): Promise<readonly [Pipe, Pipe]> {
    while (this.#stock.length < 2) await this.#prepare();
    const [stdout, stderr] = this.#stock.splice(0, 2);
    if (stdout === undefined || stderr === undefined) throw new Error("there are no pipes");
    // The next `take` that has to wait gets the error.
    if (this.#stock.length < PREPARED_PIPES / 2) void this.#prepare().catch(() => {});
    return [stdout, stderr];
  }

  /** Makes pipes; concurrent calls share one attempt. */
  #prepare(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  close(): void {
    this.#closed = true;
    for (const pipe of this.#stock.splice(0)) closePipe(pipe);
  }

  async #make(): Promise<void> {
    if (this.#closed) throw new Error("the pipes were closed");
    const folder = mkdtempSync(join(tmpdir(), "pairpty-pipes-"));
    try {
      const names = Array.from({ length: PREPARED_PIPES }, (_, index) =>
        join(folder, String(index)),
      );
      await run("mkfifo", ["-m", "600", ...names]);
      for (const name of names) this.#stock.push(openPipe(name));
    } finally {
      // Open descriptors need no name.
      rmSync(folder, { recursive: true, force: true });
    }
    if (this.#closed) this.close();
  }
}

function openPipe(name: string): Pipe {
  // The read end first, non-blocking: the write end opens only if a reader exists.
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(name, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

function closePipe({ read, write }: Pipe): void {
  closeSync(read);
  closeSync(write);
}
