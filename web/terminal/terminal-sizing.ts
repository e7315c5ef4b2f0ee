// Owns a panel's sizes: the one that fits this window, reported to the bridge; the terminal's current
// one; and the font in which this page shows it. Does not write to the terminal.

import { computed, effect, signal } from "@preact/signals";
import type { ZoomTarget } from "../session/driver-state.ts";
import { followsUs, zoomTarget } from "../session/driver-state.ts";
import type { Session } from "../session/session.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { takesKeys, toTerminalView } from "../session/terminal-list.ts";
import { settings } from "../settings/settings.ts";
import type { Emulator } from "./emulator.ts";
import type { ReportedSize, Size } from "./screen-size.ts";
import {
  changeFontSize,
  clampFontSize,
  fontSize,
  isSameReport,
  isSameSize,
} from "./screen-size.ts";
import { updateActivity } from "./terminal-summary.ts";

/** Debounces resizing: dragging a window's edge gives a size per frame, but the program should redraw once. */
const REFIT_MS = 120;

/** The terminal's size and how this page shows it. */
export interface ShownSize extends Size {
  /** Whether it differs from the size that fits this window. */
  readonly foreign: boolean;
  /** Whether the font differs from the user's own. */
  readonly scaled: boolean;
  /** Whether the whole screen is visible. */
  readonly isWhole: boolean;
}

export class TerminalSizing {
  /** Undefined until attached. */
  readonly shown = signal<ShownSize | undefined>(undefined);
  readonly #id: string;
  readonly #session: Session;
  readonly #emulator: Emulator;
  readonly #observer: ResizeObserver;
  #disposeEffects: (() => void) | undefined;
  #refitTimer: ReturnType<typeof setTimeout> | undefined;
  /** The terminal's size; undefined until attached. */
  #current: Size | undefined;
  /** Size and visibility last sent to the bridge. */
  #reported: ReportedSize | undefined;
  /** Whether zooming sent `pty:drive` and the bridge has not yet reported the new driver. */
  #isClaimed = false;

  constructor(id: string, session: Session, emulator: Emulator, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
    this.#emulator = emulator;
    this.#observer = new ResizeObserver(() => {
      clearTimeout(this.#refitTimer);
      this.#refitTimer = setTimeout(() => this.refit(), REFIT_MS);
    });
    this.#observer.observe(host);
  }

  /** Follows visibility, driver and font from now on. */
  start(): void {
    document.addEventListener("visibilitychange", this.#onVisibility);
    const driving = computed(() => this.#session.store.findDriver(this.#id));
    const isOurs = computed(() => followsUs(driving.value));
    const unclaim = effect(() => {
      // Viewers joining or leaving also trigger this, while there is no driver yet.
      if (driving.value?.who !== "nobody") this.#isClaimed = false;
    });
    const unfit = effect(() => {
      this.#emulator.normalFont = fontSize.value;
      void settings.value.font;
      // Drops the font chosen while the size was another person's.
      if (isOurs.value) this.#emulator.chosenFont = undefined;
      this.refit();
    });
    this.#disposeEffects = () => {
      unclaim();
      unfit();
    };
  }

  /** Whether the terminal has another size than this one; false until attached. */
  differsFrom(size: Size): boolean {
    return this.#current !== undefined && !isSameSize(this.#current, size);
  }

  /** Shows the terminal at the size that it has now. */
  setCurrent(size: Size): void {
    this.#current = size;
    this.#show();
  }

  /** Reports the size to a bridge that does not know it, after attaching. */
  reportAgain(): void {
    this.#reported = undefined;
    this.refit();
  }

  /** Returns the font size that zooming changes. */
  get zoomedFont(): number {
    return this.#zoomTarget() === "picture" ? this.#emulator.font : fontSize.peek();
  }

  /** Changes our font size; for another person's size, only how this page shows it. */
  zoom(by: number | undefined): void {
    const target = this.#zoomTarget();
    if (target === "picture") {
      this.#emulator.chosenFont = by && clampFontSize(this.#emulator.font + by);
      return this.refit();
    }
    const isNew = target === "claim" && !this.#isClaimed;
    this.#isClaimed ||= isNew;
    // Sends the new size to the bridge first, then requests to drive with it.
    changeFontSize(by);
    if (isNew) this.drive();
    return undefined;
  }

  /** Requests to be the driver, whose size the terminal has. */
  drive(): void {
    this.#session.send({ type: "pty:drive", id: this.#id });
  }

  /** Reports the size that fits to the bridge if it changed, and shows the terminal at its current size. */
  refit(): void {
    clearTimeout(this.#refitTimer);
    if (this.isVisible()) {
      this.#emulator.onShown();
      updateActivity(this.#id, { rang: false });
    }
    const fits = this.#emulator.measureFit();
    if (fits) this.#session.newTerminalSize = fits;
    if (this.#current && !this.#entry?.ended) this.#reportSize(fits ?? this.#reported);
    this.#show();
  }

  /** Whether the user can see the terminal. */
  isVisible(): boolean {
    return !document.hidden && this.#session.store.views.isShown(toTerminalView(this.#id));
  }

  dispose(): void {
    clearTimeout(this.#refitTimer);
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#disposeEffects?.();
  }

  #show(): void {
    const fits = this.#emulator.measureFit();
    // After the program has ended, the size that fits here is right.
    if (fits && this.#current && this.#entry?.ended) this.#current = fits;
    if (!this.#current) return;
    this.#emulator.showSize(this.#current);
    const isDifferent = fits !== undefined && !isSameSize(fits, this.#current);
    const { scaled, isWhole, hasChosenFont } = this.#emulator;
    // Our own new size is on its way to the bridge: a frame around the old one would only flash.
    const foreign = hasChosenFont || (isDifferent && !this.#isFollowed());
    const before = this.shown.peek();
    const isChanged =
      !before ||
      !isSameSize(before, this.#current) ||
      before.foreign !== foreign ||
      before.scaled !== scaled ||
      before.isWhole !== isWhole;
    // Hot path (every keystroke): avoids a re-render if nothing changed.
    if (isChanged) this.shown.value = { ...this.#current, foreign, scaled, isWhole };
  }

  #reportSize(size: Size | undefined): void {
    const { store } = this.#session;
    if (!size || !store.reachable.peek()) return;
    const report: ReportedSize = { cols: size.cols, rows: size.rows, visible: this.isVisible() };
    if (this.#reported && isSameReport(this.#reported, report)) return;
    if (this.#session.send({ type: "pty:view", id: this.#id, ...report })) this.#reported = report;
  }

  /** Whether the terminal's size follows this page. */
  #isFollowed(): boolean {
    return this.#isClaimed || followsUs(this.#session.store.drivers.peek().get(this.#id));
  }

  #zoomTarget(): ZoomTarget {
    const { store } = this.#session;
    // An ended terminal follows this page's own size.
    if (this.#entry?.ended) return "own";
    const isForeign = this.shown.peek()?.foreign === true;
    const mayType = store.mayEdit.peek() && takesKeys(this.#entry, store.you.peek());
    return zoomTarget(store.drivers.peek().get(this.#id), store.you.peek(), { isForeign, mayType });
  }

  get #entry(): TerminalEntry | undefined {
    return this.#session.store.findTerminal(this.#id);
  }

  #onVisibility = (): void => this.refit();
}
