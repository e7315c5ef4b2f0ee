// Owns the screens of the terminals that need one: made when first asked for, fed from the host's
// buffer and never by the bytes on their way to viewers, which wait for nobody.

import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Screen } from "./screen.ts";
import type { ScreenView, Snapshot } from "./screen.ts";

export type { ScreenView, Snapshot } from "./screen.ts";

export class Screens {
  readonly #pool: TerminalPool;
  readonly #log: Log;
  readonly #screens = new Map<string, Screen>();

  constructor(pool: TerminalPool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    pool.onEvent(({ event, terminal }) => {
      if (event === "closed") this.#drop(terminal.id);
    });
  }

  /** At an offset that is behind everything the host had when asked, but for a cut sequence. */
  async snapshot(terminal: PoolTerminal): Promise<Snapshot> {
    const screen = this.#screenOf(terminal);
    await screen.catchUp();
    return screen.snapshot();
  }

  async view(terminal: PoolTerminal): Promise<ScreenView> {
    const screen = this.#screenOf(terminal);
    await screen.catchUp();
    return screen.view();
  }

  dispose(): void {
    for (const screen of this.#screens.values()) screen.dispose();
    this.#screens.clear();
  }

  #screenOf(terminal: PoolTerminal): Screen {
    const known = this.#screens.get(terminal.id);
    if (known !== undefined) return known;
    this.#log.debug(`terminal ${terminal.id} gets a screen`);
    const screen = new Screen(this.#pool, terminal);
    this.#screens.set(terminal.id, screen);
    return screen;
  }

  #drop(id: string): void {
    this.#screens.get(id)?.dispose();
    this.#screens.delete(id);
  }
}
