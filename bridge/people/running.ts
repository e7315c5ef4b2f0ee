// Owns which program is in the foreground of each terminal, and its working directory. Looked up a
// moment after input or output, so that short commands are not reported, and only while someone is
// connected who would get the message. Agents get no messages; they request it.

import type { Running } from "../../protocol/pty.ts";
import { onOneLine, plainTitle } from "../../protocol/title.ts";
import type { Front } from "../processes/foreground.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

/** A command that ends within this time is not reported. */
const SETTLE_MS = 700;
/** Characters of a path that a tooltip shows. */
const MOST_PATH_CHARS = 300;

export interface RunningParts {
  readonly pool: Pick<TerminalPool, "onActivity" | "onEvent" | "running">;
  /** Returns the foreground program, by the terminal's first process. */
  readonly frontOf: (leader: number) => Front | undefined;
  readonly isAnybodyHere: () => boolean;
  readonly tell: (running: Running) => void;
}

export class RunningPrograms {
  readonly #parts: RunningParts;
  readonly #known = new Map<string, Running>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #ends: readonly (() => void)[];

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.#ends = [
      parts.pool.onActivity((terminal) => this.#lookSoon(terminal)),
      parts.pool.onEvent(({ event, terminal: { id } }) => {
        if (event === "closed") this.#forget(id);
      }),
    ];
  }

  dispose(): void {
    for (const end of this.#ends) end();
    for (const id of this.#timers.keys()) this.#forget(id);
  }

  /** Returns the foreground program of every running terminal, for a newcomer. */
  now(): Running[] {
    return this.#parts.pool.running().flatMap((terminal) => {
      const running = this.#look(terminal);
      return running === undefined ? [] : [running];
    });
  }

  #lookSoon(terminal: PoolTerminal): void {
    if (this.#timers.has(terminal.id) || !this.#parts.isAnybodyHere()) return;
    const look = (): void => {
      this.#timers.delete(terminal.id);
      const before = this.#known.get(terminal.id);
      const running = this.#look(terminal);
      if (running === undefined || same(before, running)) return;
      this.#parts.tell(running);
    };
    this.#timers.set(terminal.id, setTimeout(look, SETTLE_MS).unref());
  }

  #look(terminal: PoolTerminal): Running | undefined {
    const { id, pid, life, meta } = terminal;
    if (life.state === "finished" || meta.feed === true) return undefined;
    const front = this.#parts.frontOf(pid);
    if (front === undefined) return undefined;
    const program = front.pid === pid ? "" : plainTitle(front.name);
    const cwd = onOneLine(front.cwd ?? meta.cwd).slice(0, MOST_PATH_CHARS);
    const running = { id, program, cwd };
    this.#known.set(id, running);
    return running;
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#known.delete(id);
  }
}

function same(a: Running | undefined, b: Running): boolean {
  return a?.program === b.program && a.cwd === b.cwd;
}
