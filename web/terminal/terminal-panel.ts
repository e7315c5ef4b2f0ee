// Owns the connection between one emulator and the session: output in, size both ways. Does not send
// the user's input. One per opened tab.

import { computed, effect, signal } from "@preact/signals";
import type { Commands } from "../commands/commands.ts";
import type { Screen } from "../session/attachment.ts";
import type { ZoomTarget } from "../session/driver-state.ts";
import { followsUs, canSendReports, zoomTarget } from "../session/driver-state.ts";
import { formatName } from "../session/terminal-names.ts";
import { settings } from "../settings/settings.ts";
import type { Session } from "../session/session.ts";
import type { TerminalEntry } from "../session/terminal-list.ts";
import { takesKeys, toTerminalView } from "../session/terminal-list.ts";
import { openLink } from "./terminal-actions.ts";
import { ScrollIndicator } from "./scroll-indicator.ts";
import { ringBell } from "./bell.ts";
import { copyText, parseClipboardRequest } from "./clipboard.ts";
import { Emulator } from "./emulator.ts";
import type { FindBar, Finder } from "./find/find-bar.tsx";
import { getClipboardFiles, FileDrop, preventFileNavigation } from "./file-drop.ts";
import type { SpecialKey } from "./key-encoding.ts";
import { encodeSpecialKey } from "./key-encoding.ts";
import { ShellIntegration } from "./marks/shell-integration.ts";
import { registerPanel } from "./panel-registry.ts";
import { pasteWithConfirmation, ClipboardRequests } from "./terminal-clipboard.ts";
import { LocalEcho } from "./prediction/local-echo.ts";
import { clearActivity, parseProgress, updateActivity } from "./terminal-summary.ts";
import { TouchLoader } from "./touch/touch-loader.ts";
import type { ReportedSize, Size } from "./screen-size.ts";
import {
  isSameSize,
  isSameReport,
  clampFontSize,
  fontSize,
  changeFontSize,
} from "./screen-size.ts";
import { TerminalInput } from "./terminal-input.ts";

/** Debounces resizing: dragging a window's edge gives a size per frame, but the program should redraw once. */
const REFIT_MS = 120;

const HIDE_CURSOR = "\u001B[?25l";

preventFileNavigation();

/** The terminal's size and how this page shows it. */
export interface ShownSize extends Size {
  /** Whether it differs from the size that fits this window. */
  readonly foreign: boolean;
  /** Whether the font differs from the user's own. */
  readonly scaled: boolean;
  /** Whether the whole screen is visible. */
  readonly isWhole: boolean;
}

export class TerminalPanel implements Screen {
  /** Undefined until attached. */
  readonly shownSize = signal<ShownSize | undefined>(undefined);
  readonly input: TerminalInput;
  /** The open search and the component that draws it; undefined while there is none. */
  readonly search = signal<{ finder: Finder; Bar: typeof FindBar } | undefined>(undefined);
  readonly touch: TouchLoader;
  readonly scrollIndicator: ScrollIndicator;
  readonly fileDrop: FileDrop;
  readonly shellIntegration: ShellIntegration;
  readonly #localEcho: LocalEcho;
  readonly #id: string;
  readonly #session: Session;
  readonly #host: HTMLElement;
  readonly #emulator: Emulator;
  readonly #detach: () => void;
  readonly #unregister: () => void;
  readonly #disposeEffects: () => void;
  readonly #observer: ResizeObserver;
  #refitTimer: ReturnType<typeof setTimeout> | undefined;
  /** The terminal's size; undefined until attached. */
  #current: Size | undefined;
  /** Size and visibility last sent to the bridge. */
  #reported: ReportedSize | undefined;
  #replays = 0;
  /** Whether zooming sent `pty:drive` and the bridge has not yet reported the new driver. */
  #isClaimed = false;
  #disposed = false;

  constructor(id: string, session: Session, commands: Commands, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
    this.#host = host;
    this.#emulator = new Emulator(host, {
      onLink: (uri) => openLink(session.store, uri),
      onPaste: (text) => this.pasteText(text),
      onClipboard: (clipboard) => {
        const files = getClipboardFiles(clipboard);
        if (files.length > 0) void this.fileDrop.upload(files);
        return files.length > 0;
      },
      font: fontSize.peek(),
    });
    const { term } = this.#emulator;
    this.scrollIndicator = new ScrollIndicator(term);
    this.shellIntegration = new ShellIntegration(term);
    this.#localEcho = new LocalEcho(term, {
      canPredict: () => canSendReports(session.store.drivers.peek().get(id)),
      isReplay: () => this.#replays > 0,
    });
    this.input = new TerminalInput(id, session, term, {
      isCommand: (event) => commands.handles(event, session),
      mayReport: () => this.#replays === 0 && canSendReports(session.store.drivers.peek().get(id)),
      // Flushes a debounced resize: the person who types determines the size.
      onTyped: () => this.refit(),
      onSent: (data) => this.#localEcho.onSent(data),
    });
    this.input.listen();
    this.fileDrop = new FileDrop({
      id,
      session,
      inputBlockedReason: () => this.input.inputBlockedReason(),
      paste: (text) => void this.#paste(text),
    });
    this.fileDrop.listen(host);
    this.#handleSequences();
    this.#observer = new ResizeObserver(() => this.#onPanelSize());
    this.#observer.observe(host);
    this.touch = new TouchLoader(host, term, {
      isForeign: () => this.shownSize.peek()?.foreign === true,
      font: () => (this.#zoomTarget() === "picture" ? this.#emulator.font : fontSize.peek()),
      zoom: (by) => this.zoom(by),
      typing: this.input,
      onFault: () => session.store.toast("Part of the page did not load. Reload the page."),
    });
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#unregister = registerPanel(id, this);
    this.#detach = session.attach(id, this);
    const driving = computed(() => session.store.findDriver(id));
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

  replay(bytes: Uint8Array, rendered: () => void): void {
    this.#replays += 1;
    this.#afterWrites(() => {
      this.#emulator.term.reset();
      this.#localEcho.reset();
    });
    this.#emulator.term.write(bytes, () => {
      this.#replays -= 1;
      rendered();
      this.#session.store.hasPrompted.value = true;
    });
  }

  write(bytes: Uint8Array, rendered: () => void): void {
    this.#emulator.term.write(bytes, () => {
      this.#localEcho.onOutput();
      rendered();
    });
  }

  layout(cols: number, rows: number): void {
    this.#afterWrites(() => {
      if (this.#current && !isSameSize(this.#current, { cols, rows })) this.#localEcho.reset();
      this.#current = { cols, rows };
      this.#show();
    });
  }

  reportSize(): void {
    this.#afterWrites(() => {
      this.#reported = undefined;
      this.#localEcho.onAttached(this.#session.roundTripMs);
      this.refit();
      // The person who opens a terminal drives it: it gets our size before the first key.
      if (this.#session.takeSpawned(this.#id)) this.drive();
      this.#session.store.inputHold.onAttached(this.#id, {
        blockedReason: () => this.input.inputBlockedReason(),
        type: (data) => void this.input.sendTyped(data),
        paste: (text) => this.#paste(text),
      });
    });
  }

  end(): void {
    this.#afterWrites(() => {
      this.#emulator.term.write(HIDE_CURSOR);
      this.refit();
    });
  }

  focus(): void {
    this.#emulator.term.focus();
  }

  press(key: SpecialKey): void {
    const { applicationCursorKeysMode } = this.#emulator.term.modes;
    const { ctrl, alt } = this.input.modifiers;
    const held = { ctrl: ctrl.peek() !== "no", alt: alt.peek() !== "no" };
    this.input.input(encodeSpecialKey(key, applicationCursorKeysMode, held));
  }

  async paste(): Promise<void> {
    try {
      this.pasteText(await navigator.clipboard.readText());
    } catch {
      // No secure context, or no permission.
      if (!this.touch.openPasteField())
        this.#session.store.toast("This browser blocked access to the clipboard.");
    }
  }

  pasteText(text: string): void {
    if (!this.#session.store.inputHold.take({ kind: "paste", text })) this.#paste(text);
  }

  scrollToBottom(): void {
    this.#emulator.term.scrollToBottom();
    this.focus();
  }

  clear(): void {
    this.#afterWrites(() => this.#emulator.clearScrollback());
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

  async openSearch(): Promise<void> {
    if (!this.search.peek()) {
      try {
        const { Finder, FindBar: Bar } = await import("./find/find-bar.tsx");
        if (this.#disposed) return;
        // A second call may have come while it loaded.
        if (!this.search.peek())
          this.search.value = { finder: new Finder(this.#emulator.term), Bar };
      } catch {
        return this.#session.store.toast("Part of the page did not load. Reload the page.");
      }
    }
    this.search.peek()?.finder.start();
    return undefined;
  }

  async copySelection(): Promise<void> {
    const { store } = this.#session;
    const isDone = await copyText(this.#emulator.term.getSelection());
    store.toast(isDone ? "Copied." : "This browser blocked copying.");
    if (isDone) this.#emulator.term.clearSelection();
  }

  closeSearch(): void {
    this.search.peek()?.finder.dispose();
    this.search.value = undefined;
    this.focus();
  }

  drive(): void {
    this.#session.send({ type: "pty:drive", id: this.#id });
  }

  /** Reports the size that fits to the bridge if it changed, and shows the terminal at its current size. */
  refit(): void {
    clearTimeout(this.#refitTimer);
    if (this.#isVisible()) {
      this.#emulator.onShown();
      updateActivity(this.#id, { rang: false });
    }
    const fits = this.#emulator.measureFit();
    if (fits) this.#session.newTerminalSize = fits;
    if (this.#current && !this.#entry?.ended) this.#reportSize(fits ?? this.#reported);
    this.#show();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#refitTimer);
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#disposeEffects();
    this.fileDrop.dispose();
    this.#unregister();
    clearActivity(this.#id);
    this.#detach();
    this.touch.dispose();
    this.#localEcho.dispose();
    this.#emulator.dispose();
  }

  /** Pastes into this terminal, even if another one is being opened; false if the user has to confirm first. */
  #paste(text: string): boolean {
    const { modes, buffer } = this.#emulator.term;
    const paste = (harmless: string): void => this.input.paste(harmless);
    return pasteWithConfirmation(text, { modes, buffer, paste }, this.#session.store);
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
    const before = this.shownSize.peek();
    const isChanged =
      !before ||
      !isSameSize(before, this.#current) ||
      before.foreign !== foreign ||
      before.scaled !== scaled ||
      before.isWhole !== isWhole;
    // Hot path (every keystroke): avoids a re-render if nothing changed.
    if (isChanged) this.shownSize.value = { ...this.#current, foreign, scaled, isWhole };
  }

  #reportSize(size: Size | undefined): void {
    const { store } = this.#session;
    if (!size || !store.reachable.peek()) return;
    const report: ReportedSize = { cols: size.cols, rows: size.rows, visible: this.#isVisible() };
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
    const isForeign = this.shownSize.peek()?.foreign === true;
    const mayType = store.mayEdit.peek() && takesKeys(this.#entry, store.you.peek());
    return zoomTarget(store.drivers.peek().get(this.#id), store.you.peek(), { isForeign, mayType });
  }

  #isVisible(): boolean {
    return !document.hidden && this.#session.store.views.isShown(toTerminalView(this.#id));
  }

  /** Runs after pending writes are parsed, unless the tab was dismissed meanwhile. */
  #afterWrites(run: () => void): void {
    this.#emulator.afterWrites(() => {
      if (!this.#disposed) run();
    });
  }

  get #entry(): TerminalEntry | undefined {
    return this.#session.store.findTerminal(this.#id);
  }

  /** Handles bells, progress and clipboard requests of programs; ignores those in a replay. */
  #handleSequences(): void {
    const { store } = this.#session;
    const { term } = this.#emulator;
    const clipboardRequests = new ClipboardRequests({
      store,
      name: () => formatName(store.names.peek().get(this.#id)),
      reply: (data) => this.input.sendClipboard(data),
      now: () => performance.now(),
    });
    term.onBell(() => {
      if (this.#replays > 0) return;
      ringBell(this.#host);
      if (!this.#isVisible()) updateActivity(this.#id, { rang: true });
    });
    term.parser.registerOscHandler(9, (values) => {
      const progress = parseProgress(values);
      if (progress !== null) updateActivity(this.#id, { progress });
      return progress !== null;
    });
    term.parser.registerOscHandler(52, (values) => {
      // Only the driver's clipboard, not that of people who watch.
      const isOurs = store.drivers.peek().get(this.#id)?.who === "you";
      if (this.#replays === 0 && isOurs && !document.hidden)
        void clipboardRequests.handle(parseClipboardRequest(values));
      return true;
    });
  }

  #onPanelSize(): void {
    clearTimeout(this.#refitTimer);
    this.#refitTimer = setTimeout(() => this.refit(), REFIT_MS);
  }

  #onVisibility = (): void => this.refit();
}
