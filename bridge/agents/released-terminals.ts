// Owns how long people can read a coding agent's terminal after its release: the newest ones, up to
// a number and a size. Before one is dropped, the end of its text is reported.

import { KiB, MiB } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { readAll } from "../reading/terminal-text.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";

/** More than a page shows at once; a conversation's older tool calls show saved text instead. */
export const MAX_KEPT_TERMINALS = 100;
export const MAX_KEPT_BYTES = 64 * MiB;
/** Bytes of text saved into the conversation. */
const TEXT_BYTES = 16 * KiB;

export interface DroppedTerminal {
  readonly conversation: string;
  readonly terminal: string;
  readonly text: string;
  readonly exit: Exit;
}

export type ReleasedPool = Pick<TerminalPool, "all" | "fetch" | "forget">;

export class ReleasedTerminals {
  readonly #pool: ReleasedPool;
  readonly #onDropped: (dropped: DroppedTerminal) => void;
  readonly #dropping = new Set<string>();

  constructor(pool: ReleasedPool, onDropped: (dropped: DroppedTerminal) => void) {
    this.#pool = pool;
    this.#onDropped = onDropped;
  }

  /** Drops the oldest terminals beyond the limits. */
  async trim(): Promise<void> {
    const finished = this.#pool.all().filter((terminal) => this.#canDrop(terminal));
    const newest = finished.toSorted((a, b) => endedAt(b) - endedAt(a));
    let bytes = 0;
    const old = newest.filter((terminal, rank) => {
      bytes += terminal.end;
      return rank >= MAX_KEPT_TERMINALS || bytes > MAX_KEPT_BYTES;
    });
    await Promise.all(old.map((terminal) => this.#drop(terminal)));
  }

  #canDrop({ id, meta, life }: PoolTerminal): boolean {
    if (meta.conversation?.isReleased !== true || meta.owner !== "agent") return false;
    return life.state === "finished" && !this.#dropping.has(id);
  }

  async #drop(terminal: PoolTerminal): Promise<void> {
    const { id, meta, life } = terminal;
    if (meta.conversation === undefined || life.state !== "finished") return;
    this.#dropping.add(id);
    try {
      const text = meta.private === true ? "" : await this.#readText(terminal);
      this.#onDropped({
        conversation: meta.conversation.id,
        terminal: id,
        text,
        exit: life.exit,
      });
      this.#pool.forget(terminal);
    } finally {
      this.#dropping.delete(id);
    }
  }

  async #readText(terminal: PoolTerminal): Promise<string> {
    const text = this.#pool.fetch(
      terminal,
      0,
      TEXT_BYTES,
      (retained) => readAll(retained, 0, true).text,
    );
    return await unlessUnavailable(text, () => "");
  }
}

function endedAt({ life }: PoolTerminal): number {
  return life.state === "finished" ? life.at : 0;
}
