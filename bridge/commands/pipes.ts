// Owns real pipes for the output of commands. Node's own are sockets, and a program cannot open
// those again: `echo x > /dev/stderr` fails there. A few are made ahead, so that no command waits.

import { execFile } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Both ends; whoever takes it closes them. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** For four commands at once; the next ones are made while these run. */
const AHEAD = 8;

const run = promisify(execFile);

export class Pipes {
  #stock: Pipe[] = [];
  #making: Promise<void> | undefined;
  #closed = false;

  /** Two, for stdout and stderr. Throws where there is no `mkfifo`, or no descriptor left. */
  async take(): Promise<readonly [Pipe, Pipe]> {
    while (this.#stock.length < 2) await this.#prepare();
    const [stdout, stderr] = this.#stock.splice(0, 2);
    if (stdout === undefined || stderr === undefined) throw new Error("there are no pipes");
    // A failure of this is told to whoever has to wait for it.
    if (this.#stock.length < AHEAD / 2) void this.#prepare().catch(() => {});
    return [stdout, stderr];
  }

  /** Makes some, if nobody does already. */
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
      const names = Array.from({ length: AHEAD }, (_, index) => join(folder, String(index)));
      await run("mkfifo", ["-m", "600", ...names]);
      for (const name of names) this.#stock.push(openPipe(name));
    } finally {
      // They are open, and need no name.
      rmSync(folder, { recursive: true, force: true });
    }
    if (this.#closed) this.close();
  }
}

function openPipe(name: string): Pipe {
  // First, and without waiting for a writer: the other end opens only where somebody reads.
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
