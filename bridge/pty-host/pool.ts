// Owns the set of terminals: their handles, the retention of finished ones, and the end of all.
// Does not use sockets; requests.ts handles frames. Also owns the checks before a fork, so that a
// mistake is an error message and not a dead terminal. Not policy: the bridge decides whether a
// command may run.

import { randomInt } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Spawn } from "../../protocol/host.ts";
import { formatStartFailure } from "../resource-errors.ts";
import type { Outlet } from "./connection.ts";
import type { Log } from "./log.ts";
import { listExpired } from "./ring.ts";
import { Terminal } from "./terminal.ts";

/** Interval for checking finished terminals, while there are any. */
const SWEEP_MS = 1_000;

/** Time between SIGTERM and SIGKILL. */
const END_MS = 2_000;

/** After SIGKILL only a process stuck in the kernel is left; waiting longer does not help. */
const KILLED_MS = 1_000;

export type SpawnResult =
  | { readonly ok: true; readonly terminal: Terminal }
  | { readonly ok: false; readonly error: string };

export class TerminalPool {
  readonly #terminals = new Map<number, Terminal>();
  readonly #log: Log;
  #nextHandle = 1;
  #outlet: Outlet | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #allEnded: (() => void) | undefined;
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get(handle: number): Terminal | undefined {
    return this.#terminals.get(handle);
  }

  all(): Iterable<Terminal> {
    return this.#terminals.values();
  }

  spawn(spawn: Spawn): SpawnResult {
    if (this.#closed) return { ok: false, error: "The pty host is ending." };
    const fault = findSpawnFault(spawn) ?? this.#findIdFault(spawn.id);
    if (fault !== undefined) return { ok: false, error: fault };
    const epoch = randomInt(1, 2 ** 31);
    try {
      const terminal = new Terminal(this.#nextHandle, epoch, spawn, this.#log, () => this.#onEnd());
      this.#nextHandle += 1;
      this.#terminals.set(terminal.handle, terminal);
      terminal.connect(this.#outlet);
      return { ok: true, terminal };
    } catch (error) {
      return {
        ok: false,
        error: `The terminal could not be started: ${formatStartFailure(error)}`,
      };
    }
  }

  /** Connects a bridge, or with undefined disconnects it. */
  connect(outlet: Outlet | undefined): void {
    this.#outlet = outlet;
    for (const terminal of this.#terminals.values()) terminal.connect(outlet);
  }

  /** Sends waiting output after the bridge's socket has drained. */
  pump(): void {
    for (const terminal of this.#terminals.values()) terminal.pump();
  }

  /** Drops a finished terminal; ignores a running one. */
  forget(handle: number): void {
    const terminal = this.#terminals.get(handle);
    if (terminal === undefined || terminal.running) return;
    terminal.close();
    this.#terminals.delete(handle);
    this.#log("forgotten", { terminal: terminal.id });
  }

  /** Sends SIGHUP and SIGTERM to every group, then SIGKILL. Resolves to false if one survived. */
  async endAll(): Promise<boolean> {
    this.#closed = true;
    // SIGCONT, because a stopped group would not handle the others.
    for (const terminal of this.#running()) {
      for (const signal of ["SIGHUP", "SIGTERM", "SIGCONT"]) terminal.signal(signal);
    }
    await this.#untilAllEnded(END_MS);
    for (const terminal of this.#running()) terminal.signal("SIGKILL");
    await this.#untilAllEnded(KILLED_MS);
    return this.#running().length === 0;
  }

  async #untilAllEnded(ms: number): Promise<void> {
    if (this.#running().length === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#allEnded = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #running(): Terminal[] {
    return [...this.#terminals.values()].filter((terminal) => terminal.running);
  }

  #findIdFault(id: string): string | undefined {
    for (const terminal of this.#terminals.values()) {
      if (terminal.id === id) return `There is a terminal ${id} already.`;
    }
    return undefined;
  }

  #onEnd(): void {
    this.#sweep ??= setInterval(() => this.#sweepFinished(), SWEEP_MS);
    this.#sweepFinished();
    if (this.#allEnded !== undefined && this.#running().length === 0) this.#allEnded();
  }

  #sweepFinished(): void {
    const terminals = [...this.#terminals.values()];
    for (const terminal of terminals) terminal.cutIfDue();
    const finished = terminals.flatMap((terminal) => terminal.finished ?? []);
    for (const handle of listExpired(finished, performance.now())) this.forget(handle);
    if (terminals.every((terminal) => terminal.running)) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }
  }
}

/** Returns why this cannot be started, or undefined. */
function findSpawnFault(spawn: Spawn): string | undefined {
  return findTextFault(spawn) ?? findFolderFault(spawn.cwd) ?? findFileFault(spawn.file);
}

/** Returns why a text is invalid: execve ends strings at NUL and would run something else. */
function findTextFault(spawn: Spawn): string | undefined {
  for (const text of [spawn.file, spawn.cwd, ...spawn.args]) {
    if (text.includes("\0")) return "The command or folder contains a NUL character.";
  }
  for (const [name, value] of Object.entries(spawn.env)) {
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      return `The environment variable ${JSON.stringify(name)} cannot be passed on.`;
    }
  }
  return undefined;
}

function findFolderFault(cwd: string): string | undefined {
  if (!isAbsolute(cwd)) return `The folder ${cwd} is not an absolute path.`;
  const kind = statSync(cwd, { throwIfNoEntry: false });
  if (kind === undefined) return `The folder ${cwd} does not exist.`;
  if (!kind.isDirectory()) return `${cwd} is not a folder.`;
  return isExecutable(cwd) ? undefined : `The folder ${cwd} cannot be entered.`;
}

function findFileFault(file: string): string | undefined {
  if (!isAbsolute(file)) return `The program ${file} is not an absolute path.`;
  const kind = statSync(file, { throwIfNoEntry: false });
  if (kind === undefined) return `The program ${file} does not exist.`;
  if (!kind.isFile()) return `${file} is not a program.`;
  return isExecutable(file) ? undefined : `The program ${file} may not be run.`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
