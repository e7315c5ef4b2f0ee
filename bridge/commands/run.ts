// Owns one run of a command by pipes: its process, its input, its two streams of output, its end.
// Knows nothing of who asked for it, nor of what was allowed; that was decided before.

import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Isolation } from "../../protocol/isolation.ts";
import { MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { systemCode } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import { isSignal } from "../pty-host/exit.ts";
import { endTree } from "../terminals/ending.ts";
import { markedProcesses } from "../sweep.ts";
import type { Kept } from "./kept.ts";
import { KeptOutput } from "./kept.ts";

export type OutputName = "stdout" | "stderr";

/** Why a run was ended, when it did not end by itself. */
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

export interface RunParts {
  readonly id: string;
  /** Whose it is, by whatever name. */
  readonly owner: string | undefined;
  /** By which everything that it started is found again. */
  readonly mark: string;
  readonly child: ChildProcess;
  /** The ends of its pipes that are read. */
  readonly stdout: number;
  readonly stderr: number;
  readonly kept: Kept;
  /** The wall that it stands behind. */
  readonly isolation?: Isolation | undefined;
}

interface Stream {
  readonly name: OutputName;
  readonly fd: number;
  readonly socket: Socket;
}

/** A child that prints on and on must not keep the end of its parent from being told. */
const DRAIN_LIMIT = 8 * MiB;
const READ_BYTES = 64 << 10;
/** A sandbox's processes go a moment after its first one. */
const SLOW_MS = 60;
const LOOK_EVERY_MS = 10;

export class CommandRun {
  readonly id: string;
  readonly owner: string | undefined;
  readonly isolation: Isolation;
  readonly startedAt = Date.now();
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  /** Both, in the order in which they came. */
  readonly output: KeptOutput;
  /** Resolves when the process has ended and everything that it printed was read. */
  readonly finished: Promise<void>;
  readonly #mark: string;
  readonly #child: ChildProcess;
  readonly #open = new Set<Socket>();
  readonly #news = new Listeners<[name: OutputName | undefined, bytes: Uint8Array]>();
  readonly #finish: () => void;
  #life: RunLife = { state: "running" };
  #ending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ id, owner, mark, child, kept, stdout, stderr, isolation }: RunParts) {
    this.id = id;
    this.isolation = isolation ?? "none";
    this.owner = owner;
    this.#mark = mark;
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
    // It may have closed its input, or be gone: what is written then is nobody's.
    child.stdin?.on("error", () => {});
    child.on("exit", (exitCode, signal) => {
      for (const stream of streams) this.#drain(stream);
      this.#exited({ exitCode, signal });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get life(): RunLife {
    return this.#life;
  }

  /** Something that it started holds its output open, though it has ended itself. */
  get hasLeftovers(): boolean {
    return this.#life.state === "ended" && this.#open.size > 0;
  }

  /** How many processes it left behind, once those that are only slow to go are gone. */
  async leftovers(): Promise<number> {
    for (let waited = 0; this.hasLeftovers && waited < SLOW_MS; waited += LOOK_EVERY_MS) {
      await delay(LOOK_EVERY_MS);
    }
    return this.hasLeftovers ? markedProcesses(this.#mark).length : 0;
  }

  /** False when nothing can be typed into it any more. */
  get takesInput(): boolean {
    return this.#life.state === "running" && this.#child.stdin?.writable === true;
  }

  /** Output as it comes, and the end (without a name). Returns how to stop listening. */
  onNews(listener: (name: OutputName | undefined, bytes: Uint8Array) => void): () => void {
    return this.#news.add(listener);
  }

  write(bytes: Uint8Array): void {
    if (this.takesInput) this.#child.stdin?.write(bytes);
  }

  closeInput(): void {
    this.#child.stdin?.end();
  }

  /** To its whole group. Nothing once its end was seen: the number may be another's. */
  signal(name: string): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#life.state === "ended" || !isSignal(name)) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      // It ended a moment ago, and its exit is on the way.
      if (systemCode(error) !== "ESRCH") throw error;
    }
  }

  /** Ends the tree after so long, counted from now; undefined lets it run. */
  endAfter(milliseconds: number | undefined): void {
    clearTimeout(this.#timer);
    if (milliseconds === undefined || this.#life.state !== "running") return;
    this.#timer = setTimeout(() => void this.end("timeout"), milliseconds);
    this.#timer.unref();
  }

  /** Ends it and everything that carries its mark. Resolves when nothing of it is left. */
  async end(by: EndedBy): Promise<void> {
    this.#ending ??= this.#end(by);
    await this.#ending;
  }

  /** Reads nothing any more of what it left behind. */
  letGo(): void {
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }

  async #end(by: EndedBy): Promise<void> {
    if (this.#life.state === "running") this.#life = { state: "ending", by };
    await endTree({
      isCommand: true,
      signal: (name) => this.signal(name),
      finished: this.finished,
      mark: this.#mark,
      pid: this.pid,
    });
  }

  #read(name: OutputName, fd: number): Stream {
    const socket = new Socket({ fd, readable: true, writable: false });
    this.#open.add(socket);
    socket.on("data", (bytes) => this.#took(name, bytes));
    socket.on("error", () => {});
    socket.on("close", () => this.#open.delete(socket));
    return { name, fd, socket };
  }

  /** What the kernel still has at its exit; whoever holds the pipe beyond that is not waited for. */
  #drain({ name, fd, socket }: Stream): void {
    // Its end was read: the descriptor is closed, and the number may be another's.
    if (socket.destroyed) return;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let drained = 0; drained < DRAIN_LIMIT;) {
      const count = readOnce(fd, buffer);
      // Everybody has closed it; the socket will hear of it later.
      if (count === 0) this.#open.delete(socket);
      if (count === 0 || count === undefined) return;
      drained += count;
      this.#took(name, buffer.subarray(0, count));
    }
  }

  #took(name: OutputName, bytes: Uint8Array): void {
    this[name].append(bytes);
    this.output.append(bytes);
    this.#news.tell(name, bytes);
  }

  #exited(exit: Exit): void {
    clearTimeout(this.#timer);
    const by = this.#life.state === "ending" ? this.#life.by : undefined;
    this.#life = { state: "ended", exit, at: Date.now(), by };
    this.#finish();
    this.#news.tell(undefined, Buffer.alloc(0));
  }
}

/** 0 at its end; undefined when there is nothing more now. */
function readOnce(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    if (systemCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}
