// Owns the connection between one emulator and the session: output in, size both ways. Does not send
// the user's input. One per opened tab.

import { computed, effect, signal } from "@preact/signals";
import type { Commands } from "../commands/commands.ts";
import type { Screen } from "../session/attachment.ts";
import type { ZoomTarget } from "../session/driving.ts";
import { followsUs, mayReport, zoomTarget } from "../session/driving.ts";
import { toText } from "../session/names.ts";
import { settings } from "../settings/settings.ts";
import type { Session } from "../session/session.ts";
import type { Known } from "../session/terminals.ts";
import { takesKeys, viewOf } from "../session/terminals.ts";
import { follow } from "./actions.ts";
import { Behind } from "./behind.ts";
import { ring } from "./bell.ts";
import { copyText, wishOf } from "./clipboard.ts";
import { Emulator } from "./emulator.ts";
import type { FindBar } from "./find/find-bar.tsx";
import type { Finder } from "./find/finder.ts";
import { filesIn, Giving, keepPage } from "./giving.ts";
import type { Special } from "./keystrokes.ts";
import { specialOf } from "./keystrokes.ts";
import { Marks } from "./marks/marks.ts";
import { register } from "./panels.ts";
import { pasted } from "./paste.ts";
import { Ahead } from "./prediction/ahead.ts";
import { forgetSigns, progressOf, sign } from "./signs.ts";
import { Touching } from "./touch/touching.ts";
import type { Seat, Size } from "./size.ts";
import { same, sameSeat } from "./size.ts";
import { Typing } from "./typing.ts";
import { Wishes } from "./wishes.ts";
import { bounded, fontSize, zoomBy } from "./zoom.ts";

/** Debounces resizing: dragging a window's edge gives a size per frame, but the program should redraw once. */
const REFIT_MS = 120;

const HIDE_CURSOR = "\u001B[?25l";

keepPage();

/** The terminal's size and how this page shows it. */
export interface Layout extends Size {
  /** Whether it differs from the size that fits this window. */
  readonly foreign: boolean;
  /** Whether the font differs from the user's own. */
  readonly scaled: boolean;
  /** Whether the whole screen is visible. */
  readonly isWhole: boolean;
}

export class TerminalPanel implements Screen {
  /** Undefined until attached. */
  readonly layoutSize = signal<Layout | undefined>(undefined);
  readonly typing: Typing;
  /** The open search and the component that draws it; undefined while there is none. */
  readonly finding = signal<{ finder: Finder; Bar: typeof FindBar } | undefined>(undefined);
  readonly touching: Touching;
  readonly behind: Behind;
  readonly giving: Giving;
  readonly marks: Marks;
  readonly #ahead: Ahead;
  readonly #id: string;
  readonly #session: Session;
  readonly #host: HTMLElement;
  readonly #emulator: Emulator;
  readonly #detach: () => void;
  readonly #unregister: () => void;
  readonly #unwatch: () => void;
  readonly #observer: ResizeObserver;
  #refitTimer: ReturnType<typeof setTimeout> | undefined;
  /** The terminal's size; undefined until attached. */
  #current: Size | undefined;
  /** Size and visibility last sent to the bridge. */
  #told: Seat | undefined;
  #replays = 0;
  /** Whether zooming sent `pty:drive` and the bridge has not yet reported the new driver. */
  #isClaimed = false;
  #disposed = false;

  constructor(id: string, session: Session, commands: Commands, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
    this.#host = host;
    this.#emulator = new Emulator(host, {
      onLink: (uri) => follow(session.store, uri),
      onPaste: (text) => this.pasteText(text),
      onClipboard: (clipboard) => {
        const files = filesIn(clipboard);
        if (files.length > 0) void this.giving.take(files);
        return files.length > 0;
      },
      font: fontSize.peek(),
    });
    const { term } = this.#emulator;
    this.behind = new Behind(term);
    this.marks = new Marks(term);
    this.#ahead = new Ahead(term, {
      mayGuess: () => mayReport(session.store.drivers.peek().get(id)),
      isReplay: () => this.#replays > 0,
    });
    this.typing = new Typing(id, session, term, {
      isCommand: (event) => commands.takes(event, session),
      mayReport: () => this.#replays === 0 && mayReport(session.store.drivers.peek().get(id)),
      // Flushes a debounced resize: the person who types determines the size.
      onTyped: () => this.refit(),
      onSent: (data) => this.#ahead.typed(data),
    });
    this.typing.listen();
    this.giving = new Giving({
      id,
      session,
      hindrance: () => this.typing.hindrance(),
      paste: (text) => void this.#paste(text),
    });
    this.giving.listen(host);
    this.#listen();
    this.#observer = new ResizeObserver(() => this.#onPanelSize());
    this.#observer.observe(host);
    this.touching = new Touching(host, term, {
      isForeign: () => this.layoutSize.peek()?.foreign === true,
      font: () => (this.#zoomTarget() === "picture" ? this.#emulator.font : fontSize.peek()),
      zoom: (by) => this.zoom(by),
      typing: this.typing,
      onFault: () => session.store.toast("Part of the page did not load. Reload the page."),
    });
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#unregister = register(id, this);
    this.#detach = session.attach(id, this);
    const driving = computed(() => session.store.driving(id));
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
    this.#unwatch = () => {
      unclaim();
      unfit();
    };
  }

  replay(bytes: Uint8Array, rendered: () => void): void {
    this.#replays += 1;
    this.#inTurn(() => {
      this.#emulator.term.reset();
      this.#ahead.reset();
    });
    this.#emulator.term.write(bytes, () => {
      this.#replays -= 1;
      rendered();
      this.#session.store.prompted.value = true;
    });
  }

  write(bytes: Uint8Array, rendered: () => void): void {
    this.#emulator.term.write(bytes, () => {
      this.#ahead.wrote();
      rendered();
    });
  }

  layout(cols: number, rows: number): void {
    this.#inTurn(() => {
      if (this.#current && !same(this.#current, { cols, rows })) this.#ahead.reset();
      this.#current = { cols, rows };
      this.#show();
    });
  }

  seated(): void {
    this.#inTurn(() => {
      this.#told = undefined;
      this.#ahead.arrived(this.#session.roundTripMs);
      this.refit();
      // The person who opens a terminal drives it: it gets our size before the first key.
      if (this.#session.takeSpawned(this.#id)) this.drive();
      this.#session.store.inputHold.attached(this.#id, {
        blockedReason: () => this.typing.hindrance(),
        type: (data) => void this.typing.type(data),
        paste: (text) => this.#paste(text),
      });
    });
  }

  end(): void {
    this.#inTurn(() => {
      this.#emulator.term.write(HIDE_CURSOR);
      this.refit();
    });
  }

  focus(): void {
    this.#emulator.term.focus();
  }

  press(key: Special): void {
    const { applicationCursorKeysMode } = this.#emulator.term.modes;
    const { ctrl, alt } = this.typing.held;
    const held = { ctrl: ctrl.peek() !== "no", alt: alt.peek() !== "no" };
    this.typing.input(specialOf(key, applicationCursorKeysMode, held));
  }

  async paste(): Promise<void> {
    try {
      this.pasteText(await navigator.clipboard.readText());
    } catch {
      // No secure context, or no permission.
      if (!this.touching.askForPaste())
        this.#session.store.toast("This browser blocked access to the clipboard.");
    }
  }

  pasteText(text: string): void {
    if (!this.#session.store.inputHold.take({ kind: "paste", text })) this.#paste(text);
  }

  toBottom(): void {
    this.#emulator.term.scrollToBottom();
    this.focus();
  }

  clear(): void {
    this.#inTurn(() => this.#emulator.clearScrollback());
  }

  /** Changes our font size; for another person's size, only how this page shows it. */
  zoom(by: number | undefined): void {
    const target = this.#zoomTarget();
    if (target === "picture") {
      this.#emulator.chosenFont = by && bounded(this.#emulator.font + by);
      return this.refit();
    }
    const isNew = target === "claim" && !this.#isClaimed;
    this.#isClaimed ||= isNew;
    // Sends the new size to the bridge first, then requests to drive with it.
    zoomBy(by);
    if (isNew) this.drive();
    return undefined;
  }

  async find(): Promise<void> {
    if (!this.finding.peek()) {
      try {
        const { Finder, FindBar: Bar } = await import("./find/find-bar.tsx");
        if (this.#disposed) return;
        // A second call may have come while it loaded.
        if (!this.finding.peek())
          this.finding.value = { finder: new Finder(this.#emulator.term), Bar };
      } catch {
        return this.#session.store.toast("Part of the page did not load. Reload the page.");
      }
    }
    this.finding.peek()?.finder.begin();
    return undefined;
  }

  async copySelection(): Promise<void> {
    const { store } = this.#session;
    const isDone = await copyText(this.#emulator.term.getSelection());
    store.toast(isDone ? "Copied." : "This browser blocked copying.");
    if (isDone) this.#emulator.term.clearSelection();
  }

  endFind(): void {
    this.finding.peek()?.finder.dispose();
    this.finding.value = undefined;
    this.focus();
  }

  drive(): void {
    this.#session.send({ type: "pty:drive", id: this.#id });
  }

  /** Reports the size that fits to the bridge if it changed, and shows the terminal at its current size. */
  refit(): void {
    clearTimeout(this.#refitTimer);
    if (this.#isVisible()) {
      this.#emulator.shown();
      sign(this.#id, { rang: false });
    }
    const fits = this.#emulator.fits();
    if (fits) this.#session.room = fits;
    if (this.#current && !this.#known?.ended) this.#tell(fits ?? this.#told);
    this.#show();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#refitTimer);
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#unwatch();
    this.giving.dispose();
    this.#unregister();
    forgetSigns(this.#id);
    this.#detach();
    this.touching.dispose();
    this.#ahead.dispose();
    this.#emulator.dispose();
  }

  /** Pastes into this terminal, even if another one is being opened; false if the user has to confirm first. */
  #paste(text: string): boolean {
    const { modes, buffer } = this.#emulator.term;
    const paste = (harmless: string): void => this.typing.paste(harmless);
    return pasted(text, { modes, buffer, paste }, this.#session.store);
  }

  #show(): void {
    const fits = this.#emulator.fits();
    // After the program has ended, the size that fits here is right.
    if (fits && this.#current && this.#known?.ended) this.#current = fits;
    if (!this.#current) return;
    this.#emulator.show(this.#current);
    const isOther = fits !== undefined && !same(fits, this.#current);
    const { scaled, isWhole, isChosen } = this.#emulator;
    // Our own new size is on its way to the bridge: a frame around the old one would only flash.
    const foreign = isChosen || (isOther && !this.#isFollowed());
    const before = this.layoutSize.peek();
    const isNews =
      !before ||
      !same(before, this.#current) ||
      before.foreign !== foreign ||
      before.scaled !== scaled ||
      before.isWhole !== isWhole;
    // Hot path (every keystroke): avoids a re-render if nothing changed.
    if (isNews) this.layoutSize.value = { ...this.#current, foreign, scaled, isWhole };
  }

  #tell(size: Size | undefined): void {
    const { store } = this.#session;
    if (!size || !store.reachable.peek()) return;
    const seat: Seat = { cols: size.cols, rows: size.rows, visible: this.#isVisible() };
    if (this.#told && sameSeat(this.#told, seat)) return;
    if (this.#session.send({ type: "pty:view", id: this.#id, ...seat })) this.#told = seat;
  }

  /** Whether the terminal's size follows this page. */
  #isFollowed(): boolean {
    return this.#isClaimed || followsUs(this.#session.store.drivers.peek().get(this.#id));
  }

  #zoomTarget(): ZoomTarget {
    const { store } = this.#session;
    // An ended terminal follows this page's own size.
    if (this.#known?.ended) return "own";
    const isForeign = this.layoutSize.peek()?.foreign === true;
    const mayType = store.mayEdit.peek() && takesKeys(this.#known, store.you.peek());
    return zoomTarget(store.drivers.peek().get(this.#id), store.you.peek(), { isForeign, mayType });
  }

  #isVisible(): boolean {
    return !document.hidden && this.#session.store.views.isShown(viewOf(this.#id));
  }

  /** Runs after pending writes are parsed, unless the tab was dismissed meanwhile. */
  #inTurn(run: () => void): void {
    this.#emulator.inTurn(() => {
      if (!this.#disposed) run();
    });
  }

  get #known(): Known | undefined {
    return this.#session.store.terminal(this.#id);
  }

  /** Handles bells, progress and clipboard requests of programs; ignores those in a replay. */
  #listen(): void {
    const { store } = this.#session;
    const { term } = this.#emulator;
    const wishes = new Wishes({
      store,
      name: () => toText(store.names.peek().get(this.#id)),
      reply: (data) => this.typing.reply(data),
      now: () => performance.now(),
    });
    term.onBell(() => {
      if (this.#replays > 0) return;
      ring(this.#host);
      if (!this.#isVisible()) sign(this.#id, { rang: true });
    });
    term.parser.registerOscHandler(9, (values) => {
      const progress = progressOf(values);
      if (progress !== null) sign(this.#id, { progress });
      return progress !== null;
    });
    term.parser.registerOscHandler(52, (values) => {
      // Only the driver's clipboard, not that of people who watch.
      const isOurs = store.drivers.peek().get(this.#id)?.who === "you";
      if (this.#replays === 0 && isOurs && !document.hidden) void wishes.grant(wishOf(values));
      return true;
    });
  }

  #onPanelSize(): void {
    clearTimeout(this.#refitTimer);
    this.#refitTimer = setTimeout(() => this.refit(), REFIT_MS);
  }

  #onVisibility = (): void => this.refit();
}
