// Owns which program is in the foreground of each terminal, and its working directory. Looked up a
// moment after input or output, so that short commands are not reported, and only while someone is
// connected who would get the message. Agents get no messages; they request it.

import type { Running } from "../../protocol/pty.ts";
import { toOneLine, cleanTitle } from "../../protocol/names.ts";
import type { FrontSummary } from "../processes/foreground.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

/** A command that ends within this time is not reported. */
const SETTLE_MS = 700;
/** Characters of a path that a tooltip shows. */
const MAX_PATH_CHARS = 300;

export interface ForegroundProgramsDeps {
  readonly pool: Pick<TerminalPool, "onActivity" | "onEvent" | "running">;
  /** Returns the foreground program, by the terminal's first process. */
  readonly findForeground: (leader: number) => FrontSummary | undefined;
  readonly isAnyoneHere: () => boolean;
  readonly send: (running: Running) => void;
}

export class ForegroundPrograms {
  readonly #deps: ForegroundProgramsDeps;
  readonly #known = new Map<string, Running>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #disposables: readonly (() => void)[];

  constructor(deps: ForegroundProgramsDeps) {
    this.#deps = deps;
    this.#disposables = [
      deps.pool.onActivity((terminal) => this.#scheduleLookUp(terminal)),
      deps.pool.onEvent(({ event, terminal: { id } }) => {
        if (event === "closed") this.#forget(id);
      }),
    ];
  }

  dispose(): void {
    for (const end of this.#disposables) end();
    for (const id of this.#timers.keys()) this.#forget(id);
  }

  /** Returns the foreground program of every running terminal, for a newcomer. */
  list(): Running[] {
    return this.#deps.pool.running().flatMap((terminal) => {
      const running = this.#lookUp(terminal);
      return running === undefined ? [] : [running];
    });
  }

  #scheduleLookUp(terminal: PoolTerminal): void {
    if (this.#timers.has(terminal.id) || !this.#deps.isAnyoneHere()) return;
    const look = (): void => {
      this.#timers.delete(terminal.id);
      const before = this.#known.get(terminal.id);
      const running = this.#lookUp(terminal);
      if (running === undefined || isSame(before, running)) return;
      this.#deps.send(running);
    };
    this.#timers.set(terminal.id, setTimeout(look, SETTLE_MS).unref());
  }

  #lookUp(terminal: PoolTerminal): Running | undefined {
    const { id, pid, life, meta } = terminal;
    if (life.state === "finished" || meta.feed === true) return undefined;
    const front = this.#deps.findForeground(pid);
    if (front === undefined) return undefined;
    const program = front.pid === pid ? "" : cleanTitle(front.name);
    const cwd = toOneLine(front.cwd ?? meta.cwd).slice(0, MAX_PATH_CHARS);
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

function isSame(a: Running | undefined, b: Running): boolean {
  return a?.program === b.program && a.cwd === b.cwd;
}
