// Owns the connection between one emulator and the session: output in, search, pasting. Sizes are in
// terminal-sizing.ts, the user's input in terminal-input.ts. One per opened tab.

import { signal } from "@preact/signals";
import type { Commands } from "../commands/commands.ts";
import type { Screen } from "../session/attachment.ts";
import { canSendReports } from "../session/driver-state.ts";
import type { Session } from "../session/session.ts";
import { openLink } from "./terminal-actions.ts";
import { ScrollIndicator } from "./scroll-indicator.ts";
import { copyText } from "./clipboard.ts";
import { Emulator } from "./emulator.ts";
import type { FindBar, Finder } from "./find/find-bar.tsx";
import { getClipboardFiles, FileDrop, preventFileNavigation } from "./file-drop.ts";
import type { SpecialKey } from "./key-encoding.ts";
import { encodeSpecialKey } from "./key-encoding.ts";
import { ShellIntegration } from "./marks/shell-integration.ts";
import { registerPanel } from "./panel-registry.ts";
import { pasteWithConfirmation } from "./terminal-clipboard.ts";
import { LocalEcho } from "./prediction/local-echo.ts";
import { clearActivity } from "./terminal-summary.ts";
import { TouchLoader } from "./touch/touch-loader.ts";
import { fontSize } from "./screen-size.ts";
import { TerminalInput } from "./terminal-input.ts";
import { handleSequences } from "./terminal-sequences.ts";
import { TerminalSizing } from "./terminal-sizing.ts";

const HIDE_CURSOR = "\u001B[?25l";

preventFileNavigation();

export class TerminalPanel implements Screen {
  readonly sizing: TerminalSizing;
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
  readonly #emulator: Emulator;
  readonly #detach: () => void;
  readonly #unregister: () => void;
  #replays = 0;
  #disposed = false;

  constructor(id: string, session: Session, commands: Commands, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
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
      onTyped: () => this.sizing.refit(),
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
    handleSequences(term, {
      id,
      session,
      host,
      isReplay: () => this.#replays > 0,
      isVisible: () => this.sizing.isVisible(),
      reply: (data) => this.input.sendClipboard(data),
    });
    this.sizing = new TerminalSizing(id, session, this.#emulator, host);
    this.touch = new TouchLoader(host, term, {
      isForeign: () => this.sizing.shown.peek()?.foreign === true,
      font: () => this.sizing.zoomedFont,
      zoom: (by) => this.sizing.zoom(by),
      typing: this.input,
      onFault: () => session.store.toast("Part of the page did not load. Reload the page."),
    });
    this.#unregister = registerPanel(id, this);
    this.#detach = session.attach(id, this);
    this.sizing.start();
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
      if (this.sizing.differsFrom({ cols, rows })) this.#localEcho.reset();
      this.sizing.setCurrent({ cols, rows });
    });
  }

  reportSize(): void {
    this.#afterWrites(() => {
      this.#localEcho.onAttached(this.#session.roundTripMs);
      this.sizing.reportAgain();
      // The person who opens a terminal drives it: it gets our size before the first key.
      if (this.#session.takeSpawned(this.#id)) this.sizing.drive();
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
      this.sizing.refit();
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

  dispose(): void {
    this.#disposed = true;
    this.sizing.dispose();
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

  /** Runs after pending writes are parsed, unless the tab was dismissed meanwhile. */
  #afterWrites(run: () => void): void {
    this.#emulator.afterWrites(() => {
      if (!this.#disposed) run();
    });
  }
}
