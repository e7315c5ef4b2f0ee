// Owns a read-only terminal embedded in another view, such as a conversation. It has the terminal's columns,
// as many rows as the output needs up to a limit, and a scrollback. It takes no input and does not affect the
// terminal's size.

import type { Terminal } from "@xterm/xterm";
import type { Screen } from "../session/attachment.ts";
import type { Session } from "../session/session.ts";
import { openLink } from "./terminal-actions.ts";
import type { Size } from "./screen-size.ts";
import { applyUserSettings, openTerminal } from "./xterm.ts";

/** Rows of a usual screen, so that programs that redraw their last lines find them. */
const MAX_ROWS = 24;

const FONT_PX = 12;
/** A smaller font is illegible; longer lines are scrolled. */
const MIN_FONT_PX = 9;

const HIDE_CURSOR = "\u001B[?25l";

export class EmbeddedScreen implements Screen {
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  readonly #detach: () => void;
  readonly #unwatch: () => void;
  readonly #observer: ResizeObserver;
  readonly #onMissing: () => void;
  #size: Size = { cols: 80, rows: MAX_ROWS };
  #frame: number | undefined;
  #isDisposed = false;

  constructor(
    id: string,
    session: Pick<Session, "attach" | "store">,
    host: HTMLElement,
    onMissing: () => void,
  ) {
    this.#host = host;
    this.#onMissing = onMissing;
    this.#term = openTerminal(host, (uri) => openLink(session.store, uri), {
      cursorBlink: false,
      cursorInactiveStyle: "none",
      disableStdin: true,
      fontSize: FONT_PX,
      lineHeight: 1.15,
      scrollback: 5000,
    });
    // Not reachable with the Tab key, since it takes no input.
    this.#term.textarea?.setAttribute("tabindex", "-1");
    this.#term.textarea?.setAttribute("aria-hidden", "true");
    this.#term.attachCustomKeyEventHandler(() => false);
    this.#term.attachCustomWheelEventHandler((event) => this.#canScroll(event.deltaY));
    this.#term.buffer.onBufferChange(() => this.#updateLayout());
    this.#unwatch = applyUserSettings(this.#term);
    this.#observer = new ResizeObserver(() => this.#updateLayout());
    this.#observer.observe(host.parentElement ?? host);
    this.#detach = session.attach(id, this);
  }

  replay(bytes: Uint8Array, rendered: () => void): void {
    this.#afterWrites(() => {
      this.#term.reset();
      // A snapshot needs the terminal's full size.
      this.#term.resize(this.#size.cols, this.#size.rows);
    });
    this.write(bytes, rendered);
    this.#afterWrites(() => this.#updateLayout());
  }

  write(bytes: Uint8Array, rendered: () => void): void {
    this.#term.write(bytes, () => {
      rendered();
      this.#fitSoon();
    });
  }

  layout(cols: number, rows: number): void {
    this.#afterWrites(() => {
      this.#size = { cols, rows };
      this.#updateLayout();
    });
  }

  /** Does nothing: an embedded screen does not affect the size. */
  reportSize(): void {}

  end(): void {
    this.#afterWrites(() => {
      this.#term.write(HIDE_CURSOR);
      this.#fitSoon();
    });
  }

  missing(): void {
    this.#onMissing();
  }

  /** Returns the whole buffer as text, for copying. */
  getText(): string {
    const { active } = this.#term.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => {
      const line = active.getLine(at);
      return `${line?.isWrapped === true || at === 0 ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
    });
    return lines.join("").trimEnd();
  }

  dispose(): void {
    this.#isDisposed = true;
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    this.#unwatch();
    this.#detach();
    this.#term.dispose();
  }

  /** Uses the largest font that shows all columns; full-screen programs get all rows. */
  #updateLayout(): void {
    if (this.#isDisposed) return;
    const { cols, rows } = this.#size;
    const isFull = this.#term.buffer.active.type === "alternate";
    this.#setFont(FONT_PX);
    this.#term.resize(cols, isFull ? rows : Math.min(rows, MAX_ROWS));
    const room = this.#host.clientWidth;
    const width = this.#screen?.clientWidth ?? 0;
    if (room > 0 && width > room) {
      const font = Math.floor(((FONT_PX * room) / width) * 2) / 2;
      this.#setFont(Math.max(MIN_FONT_PX, font));
    }
    this.#fit();
  }

  #setFont(px: number): void {
    if (this.#term.options.fontSize !== px) this.#term.options.fontSize = px;
  }

  #fitSoon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#fit();
    });
  }

  /** Sets the height to that of the output. */
  #fit(): void {
    const high = this.#screen?.clientHeight ?? 0;
    if (this.#isDisposed || high === 0) return;
    this.#host.style.height = `${Math.ceil((high / this.#term.rows) * this.#usedRows())}px`;
  }

  #usedRows(): number {
    const { active } = this.#term.buffer;
    if (active.baseY > 0 || active.type === "alternate") return this.#term.rows;
    let last = this.#term.rows - 1;
    while (last > 0 && active.getLine(last)?.translateToString(true) === "") last -= 1;
    return Math.max(last, active.cursorX > 0 ? active.cursorY : 0) + 1;
  }

  /** Whether the terminal can scroll in that direction; otherwise the page scrolls. */
  #canScroll(by: number): boolean {
    const { active } = this.#term.buffer;
    return by < 0 ? active.viewportY > 0 : active.viewportY < active.baseY;
  }

  #afterWrites(run: () => void): void {
    this.#term.write("", () => {
      if (!this.#isDisposed) run();
    });
  }

  get #screen(): HTMLElement | null | undefined {
    return this.#term.element?.querySelector<HTMLElement>(".xterm-screen");
  }
}
