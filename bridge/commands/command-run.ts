// Owns one run of a command with pipes: its process, input, two output streams and exit. Does not
// know who requested it or whether it was allowed.

import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Isolation } from "../../protocol/isolation.ts";
import { MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { findSystemCode } from "../errors.ts";
import { Emitter } from "../emitter.ts";
import { isSignal } from "../pty-host/exit.ts";
import { endTree } from "../terminals/end-tree.ts";
import type { StartedBy } from "../terminals/spawn-plan.ts";
import { findTaggedProcesses } from "../sweep.ts";
import type { KeptOutputLimits } from "./kept-output.ts";
import { KeptOutput } from "./kept-output.ts";

export type OutputName = "stdout" | "stderr";

/** Why a run was ended, if it did not exit on its own. */
export type EndedBy = "timeout" | "stopped";

export type RunLife =
  | { readonly state: "running" }
  | { readonly state: "ending"; readonly by: EndedBy }
  | {
      readonly state: "ended";
      readonly exit: Exit;
      readonly at: number;
      readonly by: EndedBy | undefined;
    };

export interface CommandRunDeps {
  readonly id: string;
  /** Who started it, as its plan says. */
  readonly startedBy?: StartedBy | undefined;
  /** Environment tag by which all of its processes are found. */
  readonly tag: string;
  readonly child: ChildProcess;
  /** Read ends of its pipes. */
  readonly stdout: number;
  readonly stderr: number;
  readonly kept: KeptOutputLimits;
  /** Isolation in which it runs. */
  readonly isolation?: Isolation | undefined;
}

interface Stream {
  readonly name: OutputName;
  readonly fd: number;
  readonly socket: Socket;
}

/** A child that keeps printing must not delay the report of its parent's exit. */
const DRAIN_LIMIT = 8 * MiB;
const READ_BYTES = 64 << 10;
/** A sandbox's processes exit shortly after its first one. */
const SLOW_MS = 60;
const LOOK_EVERY_MS = 10;

export class CommandRun {
  readonly id: string;
  readonly startedBy: StartedBy | undefined;
  readonly isolation: Isolation;
  readonly startedAt = Date.now();
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  /** Both streams, in order of arrival. */
  readonly output: KeptOutput;
  /** Resolves when the process has exited and all of its output was read. */
  readonly finished: Promise<void>;
  readonly #tag: string;
  readonly #child: ChildProcess;
  readonly #open = new Set<Socket>();
  readonly #listeners = new Emitter<[name: OutputName | undefined, bytes: Uint8Array]>();
  readonly #finish: () => void;
  #life: RunLife = { state: "running" };
  #ending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ id, startedBy, tag, child, kept, stdout, stderr, isolation }: CommandRunDeps) {
    this.id = id;
    this.isolation = isolation ?? "none";
    this.startedBy = startedBy;
    this.#tag = tag;
    this.#child = child;
    this.stdout = new KeptOutput(kept);
    this.stderr = new KeptOutput(kept);
    this.output = new KeptOutput(kept);
    let finish = () => {};
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.#finish = finish;
    const streams = [this.#read("stdout", stdout), this.#read("stderr", stderr)];
    // The process may have closed its input or exited: ignore write errors.
    child.stdin?.on("error", () => {});
    child.on("exit", (exitCode, signal) => {
      for (const stream of streams) this.#drain(stream);
      this.#onExited({ exitCode, signal });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get life(): RunLife {
    return this.#life;
  }

  /** Whether a process that it started still holds its output open after its exit. */
  get hasLeftovers(): boolean {
    return this.#life.state === "ended" && this.#open.size > 0;
  }

  /** Returns how many processes it left behind, after a short time for slow exits. */
  async countLeftovers(): Promise<number> {
    for (let waited = 0; this.hasLeftovers && waited < SLOW_MS; waited += LOOK_EVERY_MS) {
      await delay(LOOK_EVERY_MS);
    }
    return this.hasLeftovers ? findTaggedProcesses(this.#tag).length : 0;
  }

  /** Whether the process still accepts input. */
  get takesInput(): boolean {
    return this.#life.state === "running" && this.#child.stdin?.writable === true;
  }

  /** Fires with output, and without a name on exit. Returns the unsubscribe function. */
  onOutput(listener: (name: OutputName | undefined, bytes: Uint8Array) => void): () => void {
    return this.#listeners.add(listener);
  }

  write(bytes: Uint8Array): void {
    if (this.takesInput) this.#child.stdin?.write(bytes);
  }

  closeInput(): void {
    this.#child.stdin?.end();
  }

  /** Signals the whole process group. Does nothing after the exit: the pid may have been reused. */
  signal(name: string): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#life.state === "ended" || !isSignal(name)) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      // The process exited just now, and its exit event follows.
      if (findSystemCode(error) !== "ESRCH") throw error;
    }
  }

  /** Ends the process tree after this time from now; undefined removes the limit. */
  endAfter(milliseconds: number | undefined): void {
    clearTimeout(this.#timer);
    if (milliseconds === undefined || this.#life.state !== "running") return;
    this.#timer = setTimeout(() => void this.end("timeout"), milliseconds);
    this.#timer.unref();
  }

  /** Ends all processes that carry its tag. Resolves when none is left. */
  async end(by: EndedBy): Promise<void> {
    this.#ending ??= this.#end(by);
    await this.#ending;
  }

  /** Stops reading from processes that it left behind. */
  release(): void {
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }

  async #end(by: EndedBy): Promise<void> {
    if (this.#life.state === "running") this.#life = { state: "ending", by };
    await endTree({
      isCommand: true,
      signal: (name) => this.signal(name),
      finished: this.finished,
      tag: this.#tag,
      pid: this.pid,
    });
  }

  #read(name: OutputName, fd: number): Stream {
    const socket = new Socket({ fd, readable: true, writable: false });
    this.#open.add(socket);
    socket.on("data", (bytes) => this.#receive(name, bytes));
    socket.on("error", () => {});
    socket.on("close", () => this.#open.delete(socket));
    return { name, fd, socket };
  }

  /** Reads what the kernel still has at the exit, without waiting for others that hold the pipe. */
  #drain({ name, fd, socket }: Stream): void {
    // Already closed at its end: the descriptor may have been reused.
    if (socket.destroyed) return;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let drained = 0; drained < DRAIN_LIMIT;) {
      const count = readOnce(fd, buffer);
      // All writers have closed it; the socket closes later.
      if (count === 0) this.#open.delete(socket);
      if (count === 0 || count === undefined) return;
      drained += count;
      this.#receive(name, buffer.subarray(0, count));
    }
  }

  #receive(name: OutputName, bytes: Uint8Array): void {
    this[name].append(bytes);
    this.output.append(bytes);
    this.#listeners.fire(name, bytes);
  }

  #onExited(exit: Exit): void {
    clearTimeout(this.#timer);
    const by = this.#life.state === "ending" ? this.#life.by : undefined;
    this.#life = { state: "ended", exit, at: Date.now(), by };
    this.#finish();
    this.#listeners.fire(undefined, Buffer.alloc(0));
  }
}

/** Returns 0 at the end, undefined if nothing is available now. */
function readOnce(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    if (findSystemCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}
