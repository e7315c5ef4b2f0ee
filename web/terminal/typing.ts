// Owns what leaves a terminal for its program: keys and pastes, by those who may; focus and mouse
// reports, by the driver.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { isPressed } from "../commands/keys.ts";
import type { Session } from "../session/session.ts";
import { takesKeys } from "../session/terminals.ts";
import { COPY } from "./commands.ts";
import { pieces } from "./pieces.ts";
import { altOf, controlOf, isReport } from "./keystrokes.ts";

export interface TypingRules {
  /** Whether a key is one of the page's, not the terminal's. */
  isCommand: (event: KeyboardEvent) => boolean;
  /** Whether focus and mouse of this page are the program's business, now. */
  mayReport: () => boolean;
  /** Before what a person typed is sent. */
  onTyped: () => void;
  /** Behind it. */
  onSent: (data: string) => void;
}

/** For the next key, or until it is let go. */
export type Holding = "no" | "once" | "locked";

export class Typing {
  readonly #id: string;
  readonly #session: Session;
  readonly #term: Terminal;
  readonly #rules: TypingRules;
  /** Keys are pressed with these: a phone's keyboard has neither. */
  readonly held = { ctrl: signal<Holding>("no"), alt: signal<Holding>("no") };

  constructor(id: string, session: Session, term: Terminal, rules: TypingRules) {
    this.#id = id;
    this.#session = session;
    this.#term = term;
    this.#rules = rules;
  }

  /** Until the terminal is disposed, which ends its listeners. */
  listen(): void {
    const term = this.#term;
    term.attachCustomKeyEventHandler((event) => this.#onKeyEvent(event));
    term.attachCustomWheelEventHandler(() => this.#mayScroll());
    term.onData((data) => this.#onData(data));
    // Old mouse reports; their high bytes cannot travel as text, and no modern program wants them.
    term.onBinary((data) => {
      if (/^\p{ASCII}*$/u.test(data)) this.#onData(data);
    });
  }

  /** False keeps a key from the terminal. */
  #onKeyEvent(event: KeyboardEvent): boolean {
    if (this.#rules.isCommand(event)) return false;
    if (!isPressed(COPY.keys, event) || !this.#term.hasSelection()) return true;
    event.preventDefault();
    // xterm fills the copy event; the newer API needs a secure context that a LAN address is not.
    if (event.type === "keydown") document.execCommand("copy");
    return false;
  }

  /** As if typed; for keys that a phone's keyboard does not have. */
  input(data: string): void {
    this.#term.input(data);
  }

  /** What was on the clipboard, for a program that asked and a person who said yes. */
  reply(data: string): void {
    if (this.hindrance() !== undefined) return;
    for (const piece of pieces(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece, reply: "clipboard" });
  }

  /** What was held for one key. */
  release(): void {
    for (const one of Object.values(this.held)) if (one.peek() === "once") one.value = "no";
  }

  /** Where the wheel is a program's, not the scrollback's, it is as good as typing. */
  #mayScroll(): boolean {
    const { buffer, modes } = this.#term;
    const isPrograms = buffer.active.type === "alternate" || modes.mouseTrackingMode !== "none";
    return !isPrograms || this.#rules.mayReport();
  }

  #onData(data: string): void {
    const hindrance = this.hindrance();
    if (isReport(data)) {
      if (hindrance === undefined && this.#rules.mayReport()) this.#send(data);
      return;
    }
    if (hindrance !== undefined) {
      if (hindrance !== "") this.#session.store.toast(hindrance);
      return;
    }
    // Whoever types is where they want to be.
    this.#session.store.people.following.value = undefined;
    this.#rules.onTyped();
    const { ctrl, alt } = this.held;
    const controlled = ctrl.peek() === "no" ? data : controlOf(data);
    const whole = alt.peek() === "no" ? controlled : altOf(controlled);
    this.#send(whole);
    this.#rules.onSent(whole);
    this.release();
  }

  /** Why nothing can be typed here now, in a sentence; empty where the page shows it anyway. */
  hindrance(): string | undefined {
    const { store } = this.#session;
    const known = store.terminal(this.#id);
    if (!known || known.ended) return "";
    const readOnly = store.whyReadOnly("type");
    if (readOnly) return readOnly;
    if (known.terminal.feed) {
      return "You cannot type here: this shows what an agent's commands print.";
    }
    if (!takesKeys(known, store.you.peek())) {
      return "An agent is working here. Step in (Alt+I) to type.";
    }
    if (!store.reachable.peek()) return "Not connected: your typing is not sent.";
    return undefined;
  }

  #send(data: string): void {
    for (const piece of pieces(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece });
  }
}
