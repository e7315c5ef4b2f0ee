// Owns the terminals of panels: which panel has which, the sizes they start with, and starting each
// once. Does not know who sees a panel; sends nothing.

import type { Caller } from "../callers/caller.ts";
import type { PeopleTerminals } from "../people/people-terminals.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { PanelAddress } from "./panel-targets.ts";
import { toPanelKey } from "./panel-targets.ts";

export type Size = { readonly cols: number; readonly rows: number };

/** Bounds the sizes remembered for panels that have not started. */
const MAX_SIZES = 256;
export interface PanelTerminalsDeps {
  readonly pool: Pick<TerminalPool, "get" | "running" | "updateMeta" | "close">;
  readonly people: Pick<PeopleTerminals, "open">;
  /** Replaces the user's own shell. */
  readonly shell: string | undefined;
  /** Fires when a terminal has started; with `isWanted` false, its panel was closed meanwhile. */
  readonly onStarted: (address: PanelAddress, terminal: PoolTerminal, isWanted: boolean) => void;
  readonly onFailed: (caller: Caller, address: PanelAddress, error: string) => void;
}

interface StartState {
  isWanted: boolean;
}

export class PanelTerminals {
  readonly #deps: PanelTerminalsDeps;
  readonly #sizes = new Map<string, Size>();
  /** Starts in progress by key; `isWanted` turns false if the panel is closed meanwhile. */
  readonly #starting = new Map<
    string,
    { readonly want: StartState; readonly done: Promise<void> }
  >();

  constructor(deps: PanelTerminalsDeps) {
    this.#deps = deps;
  }

  running(): { readonly terminal: PoolTerminal; readonly place: PanelAddress }[] {
    return this.#deps.pool.running().flatMap((terminal) => {
      const { panel } = terminal.meta;
      return panel === undefined ? [] : [{ terminal, place: panel }];
    });
  }

  find(address: PanelAddress): PoolTerminal | undefined {
    const key = toPanelKey(address);
    return this.running().find(
      ({ terminal, place: other }) =>
        toPanelKey(other) === key && terminal.life.state === "running",
    )?.terminal;
  }

  /** Remembers the size for the panel's next start. */
  setSize(address: PanelAddress, size: Size): void {
    const key = toPanelKey(address);
    const [oldest] = this.#sizes.keys();
    if (!this.#sizes.has(key) && this.#sizes.size >= MAX_SIZES && oldest !== undefined) {
      this.#sizes.delete(oldest);
    }
    this.#sizes.set(key, size);
  }

  /** Forgets a closed panel; a terminal that is just starting for it is closed. */
  forget(address: PanelAddress): void {
    const key = toPanelKey(address);
    this.#sizes.delete(key);
    const starting = this.#starting.get(key);
    if (starting !== undefined) starting.want.isWanted = false;
  }

  /** Starts the panel's terminal; concurrent calls share one start. */
  async start(caller: Caller, address: PanelAddress): Promise<void> {
    const key = toPanelKey(address);
    const known = this.#starting.get(key);
    if (known !== undefined) return await known.done;
    const state = { isWanted: true };
    const starting = { want: state, done: this.#startNow(caller, address, state) };
    this.#starting.set(key, starting);
    try {
      return await starting.done;
    } finally {
      this.#starting.delete(key);
    }
  }

  async #startNow(caller: Caller, address: PanelAddress, state: StartState): Promise<void> {
    const { people, pool, shell, onStarted, onFailed } = this.#deps;
    const size = this.#sizes.get(toPanelKey(address)) ?? {};
    const command = shell === undefined ? {} : { command: [shell] };
    const opened = await people.open(caller, { ...size, ...command });
    if (!opened.ok) return onFailed(caller, address, opened.error);
    const terminal = pool.get(opened.terminal.id);
    if (terminal === undefined) return undefined;
    pool.updateMeta(terminal, { panel: address });
    onStarted(address, terminal, state.isWanted);
    if (!state.isWanted) void pool.close(terminal, "its panel was closed");
    return undefined;
  }
}
