// Owns the screens of terminals: created when first needed, fed from the host's buffer and not from
// the bytes to viewers, so that viewers never wait; stored in the host and dropped when unused.

import { DisposableStore } from "../disposable-store.ts";
import type { Log } from "../log.ts";
import { errorMessage } from "../errors.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { loadEmulator } from "./load-emulator.ts";
import type { Pace } from "./feed-pacing.ts";
import { recordActivity, shouldFeed } from "./feed-pacing.ts";
import type { ScreenSource, Snapshot } from "./screen.ts";
import { Screen } from "./screen.ts";
import type { ScreenView } from "./screen-view.ts";

export type { Snapshot } from "./screen.ts";
export type { ScreenView } from "./screen-view.ts";

/** An emulator takes about a megabyte; its checkpoint restores it. */
const DROP_AFTER_MS = 30_000;
const CHECK_EVERY_MS = 250;

/** Delay after the first terminal's start: its first query should not wait for the emulator. */
const LOAD_AFTER_MS = 400;

/** The part of the pool that screens need. */
type ScreensPool = ScreenSource &
  Pick<TerminalPool, "storeCheckpoint" | "onActivity" | "onEvent" | "onQuery" | "running">;

interface ScreenEntry {
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
  readonly #entries = new Map<string, ScreenEntry>();
  #timer: NodeJS.Timeout | undefined;
  #loading: NodeJS.Timeout | undefined;
  readonly #disposables = new DisposableStore();
  #disposed = false;

  /** Feeds screens in the background. */
  constructor(pool: ScreensPool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    this.#disposables.add(
      pool.onEvent(({ event, terminal }) => {
        if (event === "created") this.#loadSoon();
        // A caller may still wait for its last screen: dropped like any screen when unused.
        if (event === "closed" && this.#entries.has(terminal.id)) this.#checkLater();
      }),
      pool.onActivity((terminal) => this.#onActivity(terminal)),
      pool.onQuery((terminal) => this.#feed(this.#getEntry(terminal))),
    );
    for (const terminal of pool.running()) {
      if (terminal.queries.length > 0) this.#feed(this.#getEntry(terminal));
    }
  }

  /** Resolves to a snapshot of everything the host has now, except an incomplete sequence. */
  async snapshot(terminal: PoolTerminal): Promise<Snapshot> {
    const entry = this.#getEntry(terminal);
    const screen = await this.#caughtUp(entry);
    const snapshot = screen.snapshot();
    this.#storeCheckpoint(entry, snapshot);
    return snapshot;
  }

  /** Resolves to the same without scrollback. */
  async visibleSnapshot(terminal: PoolTerminal): Promise<Snapshot> {
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
    const screen = await this.#caughtUp(this.#getEntry(terminal));
    return screen.view();
  }

  /** Resolves to whether its program is in application cursor mode. */
  async wantsApplicationKeys(terminal: PoolTerminal): Promise<boolean> {
    const screen = await this.#caughtUp(this.#getEntry(terminal));
    return screen.wantsApplicationKeys;
  }

  /** Resolves to the current screen as a PNG. */
  async picture(terminal: PoolTerminal): Promise<Buffer> {
    const screen = await this.#caughtUp(this.#getEntry(terminal));
    const pictureSource = screen.toPictureSource();
    const { renderPicture } = await import("../pictures/picture.ts");
    return await renderPicture(pictureSource);
  }

  dispose(): void {
    this.#disposed = true;
    this.#disposables.dispose();
    clearTimeout(this.#timer);
    clearTimeout(this.#loading);
    for (const { screen } of this.#entries.values()) screen?.dispose();
    this.#entries.clear();
  }

  async #caughtUp(entry: ScreenEntry): Promise<Screen> {
    entry.neededAt = Date.now();
    const screen = this.#getScreen(entry);
    await screen.catchUp();
    entry.pace = { ...entry.pace, fed: screen.offset };
    this.#checkLater();
    return screen;
  }

  #getEntry(terminal: PoolTerminal): ScreenEntry {
    const known = this.#entries.get(terminal.id);
    if (known?.terminal === terminal) return known;
    known?.screen?.dispose();
    const pace = { fed: 0, end: 0, at: 0, rate: 0 };
    const entry = { terminal, screen: undefined, neededAt: 0, pace, checkpoint: -1 };
    this.#entries.set(terminal.id, entry);
    return entry;
  }

  #getScreen(entry: ScreenEntry): Screen {
    if (entry.screen === undefined) {
      this.#log.debug(`terminal ${entry.terminal.id} gets a screen`);
      entry.screen = new Screen(this.#pool, entry.terminal);
    }
    return entry.screen;
  }

  /** Feeds a screen in the background. */
  #feed(entry: ScreenEntry): void {
    this.#caughtUp(entry).catch((error: unknown) => {
      if (this.#disposed) return;
      this.#log.debug(`no screen for terminal ${entry.terminal.id}: ${errorMessage(error)}`);
    });
  }

  #onActivity(terminal: PoolTerminal): void {
    const entry = this.#getEntry(terminal);
    entry.pace = recordActivity(entry.pace, terminal.end, Date.now());
    this.#checkLater();
  }

  /** Stores a checkpoint in the host, for the next bridge. */
  #storeCheckpoint(entry: ScreenEntry, { offset, cols, rows, data }: Snapshot): void {
    if (entry.checkpoint === offset) return;
    entry.checkpoint = offset;
    this.#pool.storeCheckpoint(entry.terminal, { offset, cols, rows, data: Buffer.from(data) });
  }

  #checkLater(): void {
    if (this.#disposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, CHECK_EVERY_MS).unref();
  }

  /** Feeds screens that are due, and drops unused ones. */
  #check(): void {
    const now = Date.now();
    let isAnyLeft = false;
    for (const entry of this.#entries.values()) {
      const isFinished = entry.terminal.life.state === "finished";
      if (isFinished && entry.screen === undefined) this.#entries.delete(entry.terminal.id);
      const feed = isFinished ? "never" : shouldFeed(entry.pace, now);
      if (feed === "now" && entry.screen?.isFeeding !== true) this.#feed(entry);
      if (feed !== "never") isAnyLeft = true;
      if (entry.screen === undefined) continue;
      isAnyLeft = true;
      if (now - entry.neededAt >= DROP_AFTER_MS && !entry.screen.isFeeding) this.#drop(entry);
    }
    if (isAnyLeft) this.#checkLater();
  }

  /** Drops a screen; its checkpoint stays in the host. */
  #drop(entry: ScreenEntry): void {
    if (entry.screen === undefined) return;
    this.#storeCheckpoint(entry, entry.screen.snapshot());
    entry.screen.dispose();
    entry.screen = undefined;
    this.#log.debug(`terminal ${entry.terminal.id} dropped its unused screen`);
  }

  #loadSoon(): void {
    this.#loading ??= setTimeout(() => void loadEmulator(), LOAD_AFTER_MS).unref();
  }
}
