// Owns how long people can read a coding agent's terminal after its release: the newest ones, up to
// a number and a size. Before one is dropped, the end of its text is reported.

import { KiB, MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { everything } from "../reading/reading.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";

/** More than a page shows at once; a conversation's older tool calls show saved text instead. */
export const KEPT_TERMINALS = 100;
export const KEPT_BYTES = 64 * MiB;
/** Bytes of text saved into the conversation. */
const TEXT_BYTES = 16 * KiB;

export interface Forgotten {
  readonly conversation: string;
  readonly terminal: string;
  readonly text: string;
  readonly exit: Exit;
}

export type KeptPool = Pick<TerminalPool, "all" | "fetch" | "forget">;

export class KeptTerminals {
  readonly #pool: KeptPool;
  readonly #onForgotten: (forgotten: Forgotten) => void;
  readonly #going = new Set<string>();

  constructor(pool: KeptPool, onForgotten: (forgotten: Forgotten) => void) {
    this.#pool = pool;
    this.#onForgotten = onForgotten;
  }

  /** Drops the oldest terminals beyond the limits. */
  async trim(): Promise<void> {
    const finished = this.#pool.all().filter((terminal) => this.#mayGo(terminal));
    const newest = finished.toSorted((a, b) => endedAt(b) - endedAt(a));
    let bytes = 0;
    const old = newest.filter((terminal, rank) => {
      bytes += terminal.end;
      return rank >= KEPT_TERMINALS || bytes > KEPT_BYTES;
    });
    await Promise.all(old.map((terminal) => this.#forget(terminal)));
  }

  #mayGo({ id, meta, life }: PoolTerminal): boolean {
    if (meta.conversation?.isReleased !== true || meta.owner !== "agent") return false;
    return life.state === "finished" && !this.#going.has(id);
  }

  async #forget(terminal: PoolTerminal): Promise<void> {
    const { id, meta, life } = terminal;
    if (meta.conversation === undefined || life.state !== "finished") return;
    this.#going.add(id);
    try {
      const text = meta.private === true ? "" : await this.#textOf(terminal);
      this.#onForgotten({
        conversation: meta.conversation.id,
        terminal: id,
        text,
        exit: life.exit,
      });
      this.#pool.forget(terminal);
    } finally {
      this.#going.delete(id);
    }
  }

  async #textOf(terminal: PoolTerminal): Promise<string> {
    const text = this.#pool.fetch(
      terminal,
      0,
      TEXT_BYTES,
      (retained) => everything(retained, 0, true).text,
    );
    return await unlessUnavailable(text, () => "");
  }
}

function endedAt({ life }: PoolTerminal): number {
  return life.state === "finished" ? life.at : 0;
}
