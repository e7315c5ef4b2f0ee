// Owns what lies between one emulator and the session: output in, and the size both ways. What the
// user types goes out by typing.ts. One per opened tab.

import { signal } from "@preact/signals";
import type { Screen } from "../session/attachment.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Content } from "../session/resume.ts";
import type { Session } from "../session/session.ts";
import type { Tab } from "../session/tabs.ts";
import { find, retitled, takesInput } from "../session/tabs.ts";
import { Emulator } from "./emulator.ts";
import type { Reason, Size } from "./size.ts";
import { answered, claim, same } from "./size.ts";
import { plain } from "./title.ts";
import { Typing } from "./typing.ts";

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
  /** Whether we typed last, as far as we can know; undefined while nobody has. */
  #typed: boolean | undefined;
  /** The size that holds, or that we have just asked for; unknown until attached. */
  #current: Size | undefined;
  #asked: readonly Size[] = [];
  #replays = 0;
  #disposed = false;

  constructor(id: string, session: Session, host: HTMLElement) {
    this.#id = id;
    this.#session = session;
    this.#emulator = new Emulator(host);
    const { term } = this.#emulator;
    const typing = new Typing(id, session, term, {
      mayAnswer: () => this.#isMine() && this.#replays === 0,
      onTyped: () => {
        this.refit("typed");
        this.#typed = true;
      },
    });
    typing.listen();
    term.onTitleChange((title) => session.store.change((tabs) => retitled(tabs, id, plain(title))));
    this.#observer = new ResizeObserver(() => this.#onPanelSize());
    this.#observer.observe(host);
    this.#detach = session.attach(id, this);
  }

  replay(content: Content, rendered: () => void): void {
    this.#replays += 1;
    this.#inTurn(() => this.#emulator.term.reset());
    // As bytes: half a character that the old screen waits for would spoil the next.
    const bytes = typeof content === "string" ? toBytes(content) : content;
    this.#emulator.term.write(bytes, () => {
      this.#replays -= 1;
      rendered();
    });
  }

  write(content: Content, rendered: () => void): void {
    this.#emulator.term.write(content, rendered);
  }

  layout(cols: number, rows: number): void {
    const size = { cols, rows };
    const rest = answered(this.#asked, size);
    // What it was made with is nobody's claim; a change that we did not ask for is.
    if (!rest && this.#current && !same(size, this.#current)) this.#typed = false;
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
      mayEdit: store.mayEdit.peek() && store.reachable.peek() && takesInput(this.#tab),
      visible: !document.hidden && store.active.peek() === this.#id,
      mine: this.#isMine(),
      fits,
      current: this.#current,
    });
    if (size && this.#session.send({ type: "pty:resize", id: this.#id, ...size })) {
      this.#typed = true;
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

  /** We typed last, or opened it: we size it and answer its queries. */
  #isMine(): boolean {
    // Asked each time: the terminal may be announced before the answer to our own spawn.
    return this.#typed ?? this.#session.hasSpawned(this.#id);
  }

  #onPanelSize(): void {
    clearTimeout(this.#refitTimer);
    this.#refitTimer = setTimeout(() => this.refit(), REFIT_MS);
  }
}
