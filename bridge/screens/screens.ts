// Owns the screens of terminals: created when first needed, fed from the host's buffer and not from
// the bytes to viewers, so that viewers never wait; stored in the host and dropped when unused.

import { Ends } from "../ends.ts";
import type { Log } from "../log.ts";
import { messageOf } from "../errors.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { loadEmulator } from "./loading.ts";
import type { Pace } from "./pacing.ts";
import { heard, shouldFeed } from "./pacing.ts";
import type { ScreenSource, Snapshot } from "./screen.ts";
import { Screen } from "./screen.ts";
import type { ScreenView } from "./view.ts";

export type { Snapshot } from "./screen.ts";
export type { ScreenView } from "./view.ts";

/** An emulator takes about a megabyte; its checkpoint restores it. */
const DROP_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** Delay after the first terminal's start: its first query should not wait for the emulator. */
const LOAD_AFTER_MS = 400;

/** The part of the pool that screens need. */
type ScreensPool = ScreenSource &
  Pick<TerminalPool, "keepScreen" | "onActivity" | "onEvent" | "onQuery" | "running">;

interface Kept {
  readonly terminal: PoolTerminal;
  screen: Screen | undefined;
  neededAt: number;
  pace: Pace;
  /** Offset of the last checkpoint sent to the host. */
  checkpoint: number;
}

export class Screens {
  readonly #pool: ScreensPool;
  readonly #log: Log;
  readonly #kept = new Map<string, Kept>();
  #timer: NodeJS.Timeout | undefined;
  #loading: NodeJS.Timeout | undefined;
  readonly #ends = new Ends();
  #disposed = false;

  /** Feeds screens in the background; with `isFed` false only on request, for benchmarks. */
  constructor(pool: ScreensPool, log: Log, isFed = true) {
    this.#pool = pool;
    this.#log = log;
    if (!isFed) return;
    this.#ends.own(
      pool.onEvent(({ event, terminal }) => {
        if (event === "created") this.#loadSoon();
        // A caller may still wait for its last screen: dropped like any screen when unused.
        if (event === "closed" && this.#kept.has(terminal.id)) this.#lookLater();
      }),
      pool.onActivity((terminal) => this.#heard(terminal)),
      pool.onQuery((terminal) => this.#feed(this.#keptOf(terminal))),
    );
    for (const terminal of pool.running()) {
      if (terminal.queries.length > 0) this.#feed(this.#keptOf(terminal));
    }
  }

  /** Resolves to a snapshot of everything the host has now, except an incomplete sequence. */
  async snapshot(terminal: PoolTerminal): Promise<Snapshot> {
    const kept = this.#keptOf(terminal);
    const screen = await this.#caughtUp(kept);
    const snapshot = screen.snapshot();
    this.#keep(kept, snapshot);
    return snapshot;
  }

  /** Resolves to the same without scrollback. */
  async still(terminal: PoolTerminal): Promise<Snapshot> {
    const snapshot = await this.snapshot(terminal);
    const { Emulator } = await loadEmulator();
    const emulator = new Emulator(snapshot.cols, snapshot.rows);
    try {
      emulator.terminal.options.scrollback = 0;
      emulator.write(snapshot.data);
      return { ...snapshot, data: emulator.serialize() };
    } finally {
      emulator.dispose();
    }
  }

  async view(terminal: PoolTerminal): Promise<ScreenView> {
    const screen = await this.#caughtUp(this.#keptOf(terminal));
    return screen.view();
  }

  /** Resolves to whether its program is in application cursor mode. */
  async wantsApplicationKeys(terminal: PoolTerminal): Promise<boolean> {
    const screen = await this.#caughtUp(this.#keptOf(terminal));
    return screen.wantsApplicationKeys;
  }

  /** Resolves to the current screen as a PNG. */
  async picture(terminal: PoolTerminal): Promise<Buffer> {
    const screen = await this.#caughtUp(this.#keptOf(terminal));
    const look = screen.look();
    const { pictureOf } = await import("../pictures/picture.ts");
    return await pictureOf(look);
  }

  dispose(): void {
    this.#disposed = true;
    this.#ends.dispose();
    clearTimeout(this.#timer);
    clearTimeout(this.#loading);
    for (const { screen } of this.#kept.values()) screen?.dispose();
    this.#kept.clear();
  }

  async #caughtUp(kept: Kept): Promise<Screen> {
    kept.neededAt = Date.now();
    const screen = this.#screenOf(kept);
    await screen.catchUp();
    kept.pace = { ...kept.pace, fed: screen.offset };
    this.#lookLater();
    return screen;
  }

  #keptOf(terminal: PoolTerminal): Kept {
    const known = this.#kept.get(terminal.id);
    if (known?.terminal === terminal) return known;
    known?.screen?.dispose();
    const pace = { fed: 0, end: 0, at: 0, rate: 0 };
    const kept = { terminal, screen: undefined, neededAt: 0, pace, checkpoint: -1 };
    this.#kept.set(terminal.id, kept);
    return kept;
  }

  #screenOf(kept: Kept): Screen {
    if (kept.screen === undefined) {
      this.#log.debug(`terminal ${kept.terminal.id} gets a screen`);
      kept.screen = new Screen(this.#pool, kept.terminal);
    }
    return kept.screen;
  }

  /** Feeds a screen in the background. */
  #feed(kept: Kept): void {
    this.#caughtUp(kept).catch((error: unknown) => {
      if (this.#disposed) return;
      this.#log.debug(`no screen for terminal ${kept.terminal.id}: ${messageOf(error)}`);
    });
  }

  #heard(terminal: PoolTerminal): void {
    const kept = this.#keptOf(terminal);
    kept.pace = heard(kept.pace, terminal.end, Date.now());
    this.#lookLater();
  }

  /** Stores a checkpoint in the host, for the next bridge. */
  #keep(kept: Kept, { offset, cols, rows, data }: Snapshot): void {
    if (kept.checkpoint === offset) return;
    kept.checkpoint = offset;
    this.#pool.keepScreen(kept.terminal, { offset, cols, rows, data: Buffer.from(data) });
  }

  #lookLater(): void {
    if (this.#disposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_EVERY_MS).unref();
  }

  /** Feeds screens that are due, and drops unused ones. */
  #look(): void {
    const now = Date.now();
    let isAnyLeft = false;
    for (const kept of this.#kept.values()) {
      const isFinished = kept.terminal.life.state === "finished";
      if (isFinished && kept.screen === undefined) this.#kept.delete(kept.terminal.id);
      const feed = isFinished ? "never" : shouldFeed(kept.pace, now);
      if (feed === "now" && kept.screen?.isFeeding !== true) this.#feed(kept);
      if (feed !== "never") isAnyLeft = true;
      if (kept.screen === undefined) continue;
      isAnyLeft = true;
      if (now - kept.neededAt >= DROP_AFTER_MS && !kept.screen.isFeeding) this.#put(kept);
    }
    if (isAnyLeft) this.#lookLater();
  }

  /** Drops a screen; its checkpoint stays in the host. */
  #put(kept: Kept): void {
    if (kept.screen === undefined) return;
    this.#keep(kept, kept.screen.snapshot());
    kept.screen.dispose();
    kept.screen = undefined;
    this.#log.debug(`terminal ${kept.terminal.id} dropped its unused screen`);
  }

  #loadSoon(): void {
    this.#loading ??= setTimeout(() => void loadEmulator(), LOAD_AFTER_MS).unref();
  }
}
