// Owns what lies between one emulator and the session: output in, keystrokes out, the size both
// ways, and who answers a program's queries. One per opened tab.

import { signal } from "@preact/signals";
import type { Screen } from "../session/attachment.ts";
import type { Session } from "../session/session.ts";
import type { Tab } from "../session/tabs.ts";
import { find, retitled } from "../session/tabs.ts";
import { shortcutOf } from "../ui/keys.ts";
import { Emulator } from "./emulator.ts";
import { pieces } from "./pieces.ts";
import { isAutomatic } from "./replies.ts";
import type { Reason, Size } from "./size.ts";
import { answered, claim, same } from "./size.ts";
import { plain } from "./title.ts";

/** A drag of the window's edge gives a size per frame; the program should redraw once. */
const REFIT_MS = 120;

/** Sizes asked for and not yet announced; more than this and the room is not listening. */
const MOST_ASKED = 8;

const HIDE_CURSOR = "\u001B[?25l";

export class TerminalPanel implements Screen {
  /** The size somebody else gave this terminal, if it is not what fits here. */
  readonly foreignSize = signal<Size | undefined>(undefined);
  readonly #id: string;
  readonly #session: Session;
  readonly #emulator: Emulator;
  readonly #detach: () => void;
  readonly #observer: ResizeObserver;
  #refitTimer: ReturnType<typeof setTimeout> | undefined;
  /** We opened it or typed last, as far as we can know: we size it and answer its queries. */
  #mine: boolean;
  /** The size that holds, or that we have just asked for; unknown until attached. */
  #current: Size | undefined;
  #asked: readonly Size[] = [];
  #replays = 0;
  #key: string | undefined;
  #disposed = false;

  constructor(id: string, session: Session, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
    this.#mine = session.hasSpawned(id);
    this.#emulator = new Emulator(host);
    const { term } = this.#emulator;
    term.attachCustomKeyEventHandler((event) => this.#onKeyEvent(event));
    term.onKey(({ key }) => (this.#key = key));
    term.onData((data) => this.#onData(data));
    // Old mouse reports; their high bytes cannot travel as text, and no modern program wants them.
    term.onBinary((data) => /^[\0-\x7f]*$/.test(data) && this.#onData(data));
    term.onTitleChange((title) => session.store.change((tabs) => retitled(tabs, id, plain(title))));
    this.#observer = new ResizeObserver(() => this.#onPanelSize());
    this.#observer.observe(host);
    this.#detach = session.attach(id, this);
  }

  replay(text: string, rendered: () => void): void {
    this.#replays += 1;
    this.#inTurn(() => this.#emulator.term.reset());
    this.#emulator.term.write(text, () => {
      this.#replays -= 1;
      rendered();
    });
  }

  write(text: string, rendered: () => void): void {
    this.#emulator.term.write(text, rendered);
  }

  layout(cols: number, rows: number): void {
    const size = { cols, rows };
    const rest = answered(this.#asked, size);
    // What it was made with is nobody's claim; a change that we did not ask for is.
    if (!rest && this.#current && !same(size, this.#current)) this.#mine = false;
    this.#asked = rest ?? [];
    // A size of ours that a later one of ours has overtaken is not worth showing.
    if (rest && rest.length > 0) return;
    this.#current = size;
    this.#inTurn(() => {
      this.#emulator.show(size);
      this.refit();
    });
  }

  end(): void {
    this.#inTurn(() => this.#emulator.term.write(HIDE_CURSOR));
  }

  focus(): void {
    this.#emulator.term.focus();
  }

  /** Asks for the size that fits if there is a reason, and shows what holds otherwise. */
  refit(reason: Reason = "refit"): void {
    const fits = this.#emulator.fits();
    if (fits) this.#session.room = fits;
    if (!this.#current) return;
    // No program lays anything out for it any more: what fits here is right.
    if (fits && this.#tab?.ended) this.#current = fits;
    const { store } = this.#session;
    const size = claim(reason, {
      mayEdit: store.mayEdit.peek() && store.reachable.peek() && this.#takesInput(),
      visible: !document.hidden && store.active.peek() === this.#id,
      mine: this.#mine,
      fits,
      current: this.#current,
    });
    if (size && this.#session.send({ type: "pty:resize", id: this.#id, ...size })) {
      this.#mine = true;
      this.#asked = [...this.#asked, size].slice(-MOST_ASKED);
      this.#current = size;
    }
    this.#emulator.show(this.#current);
    this.foreignSize.value = fits && !same(fits, this.#current) ? this.#current : undefined;
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#refitTimer);
    this.#observer.disconnect();
    this.#detach();
    this.#emulator.dispose();
  }

  /** xterm may still be writing when the tab is dismissed. */
  #inTurn(run: () => void): void {
    this.#emulator.inTurn(() => {
      if (!this.#disposed) run();
    });
  }

  get #tab(): Tab | undefined {
    return find(this.#session.store.tabs.peek() ?? [], this.#id);
  }

  #takesInput(): boolean {
    const tab = this.#tab;
    return tab !== undefined && !tab.ended && tab.terminal.owner === "user";
  }

  #onPanelSize(): void {
    clearTimeout(this.#refitTimer);
    this.#refitTimer = setTimeout(() => this.refit(), REFIT_MS);
  }

  #onKeyEvent(event: KeyboardEvent): boolean {
    if (shortcutOf(event)) return false;
    const { term } = this.#emulator;
    const copies = event.ctrlKey && event.shiftKey && event.code === "KeyC";
    if (!copies || !term.hasSelection()) return true;
    event.preventDefault();
    // xterm fills the copy event; the newer API needs a secure context that a LAN address is not.
    if (event.type === "keydown") document.execCommand("copy");
    return false;
  }

  #onData(data: string): void {
    const automatic = isAutomatic(data, this.#key);
    this.#key = undefined;
    if (automatic) {
      if (this.#mine && this.#replays === 0) this.#send(data);
      return;
    }
    const { store } = this.#session;
    if (!this.#takesInput()) return this.#refuse();
    if (!store.mayEdit.peek()) return store.toast("Read-only: this link can watch, not type.");
    if (!store.reachable.peek())
      return store.toast("Not connected: what you type now is not sent.");
    this.refit("typed");
    this.#mine = true;
    return this.#send(data);
  }

  #send(data: string): void {
    const { store } = this.#session;
    if (!store.mayEdit.peek() || !store.reachable.peek() || !this.#takesInput()) return;
    for (const piece of pieces(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece });
  }

  #refuse(): void {
    if (!this.#tab?.ended)
      this.#session.store.toast("An agent works here: you can watch, not type.");
  }
}
